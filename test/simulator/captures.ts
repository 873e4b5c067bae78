import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../fixtures/captures/', import.meta.url);

export interface Captured {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly json: Record<string, unknown>;
}

/** An answer that the running platform gave, read from the raw exchange that was kept. */
export function capturedAnswer(name: string): Captured {
  const text = readFileSync(new URL(`${name}.response.http`, folder), 'utf8');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [start = '', ...lines] = head.split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const [key = '', ...value] = line.split(': ');
    return [key.toLowerCase(), value.join(': ')];
  });
  return {
    status: Number(start.split(' ')[1]),
    headers: new Map(headers),
    json: JSON.parse(rest.join('\n\n')) as Record<string, unknown>,
  };
}

/** What was sent to get it. */
export function capturedRequest(name: string): string {
  const text = readFileSync(new URL(`${name}.request.http`, folder), 'utf8');
  return text.slice(text.search(/\r?\n\r?\n/)).trim();
}

/** The path and the query that were asked for. */
export function capturedTarget(name: string): string {
  const text = readFileSync(new URL(`${name}.request.http`, folder), 'utf8');
  return text.split(' ')[1] ?? '';
}

/** Every server that appears in any captured list. */
export function capturedServers(): Record<string, unknown>[] {
  const lists = readdirSync(folder).filter((file) => /^servers-.*\.response\.http$/.test(file));
  return lists.flatMap((file) => {
    const { json } = capturedAnswer(file.replace('.response.http', ''));
    return (json.servers ?? []) as Record<string, unknown>[];
  });
}
