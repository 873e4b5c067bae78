import { readFileSync } from 'node:fs';

/** The rows of the first table under a heading of the platform's document, cells trimmed. */
export function tableUnder(heading: string): string[][] {
  const text = readFileSync(new URL('../fixtures/platform-api.md', import.meta.url), 'utf8');
  const section = text.split(/^#+ /m).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`the document has no section ${heading}`);
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Field name to documented type, from a table that has several names in a row. */
export function fieldTypes(heading: string, columns: { names: number; type: number }): Map<string, string> {
  const rows = tableUnder(heading);
  return new Map(
    rows.flatMap((row) =>
      (row[columns.names] ?? '').split(', ').map((name) => [name, row[columns.type] ?? '']),
    ),
  );
}

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** What the document's word for a type allows. A timestamp that is not set is null: the document shows no other form. */
export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'boolean':
    case 'string':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'timestamp':
      return value === null || (typeof value === 'string' && timestampForm.test(value));
    case 'object map (string to string)':
      return (
        typeof value === 'object' && Object.values(value ?? {}).every((inner) => typeof inner === 'string')
      );
    default:
      return type.startsWith('array of ') && Array.isArray(value);
  }
}
