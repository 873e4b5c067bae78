import { readFileSync } from 'node:fs';

/** Field name to documented type. */
export type Types = ReadonlyMap<string, string>;

/** The rows of the first table under a heading of the platform's document, cells trimmed. */
function tableUnder(heading: string): string[][] {
  const text = readFileSync(new URL('../fixtures/platform-api.md', import.meta.url), 'utf8');
  const section = text.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Of a server and of the objects within it; a row may have several names. */
function typesOf(rows: readonly (readonly [names: string, type: string])[]): Types {
  return new Map(rows.flatMap(([names, type]) => names.split(', ').map((name) => [name, type] as const)));
}

export function serverTypes(): Types {
  return typesOf(tableUnder('Server\n').map(([type = '', names = '']) => [names, type]));
}

export function elementTypes() {
  const of = (what: string) =>
    typesOf(tableUnder(`${what} object`).map(([names = '', type = '']) => [names, type]));
  const [disks_info, isolated_devices] = [of('Disk'), of('Isolated device')];
  return { disks_info, isolated_devices, nics: of('NIC'), secgroups: of('Security group') };
}
