import type { Dialect } from '../answer.ts';

export interface Envelope {
  readonly key: 'servers' | 'hosts';
  readonly limit: number;
  readonly offset: number;
  readonly total: unknown;
  readonly rows: readonly Buffer[];
  readonly sums?: object;
}

const comma = Buffer.from(',');

/** A page is put together from rows that are already encoded: a page of thousands costs one copy. */
export function wrapPage(dialect: Dialect, { key, limit, offset, total, rows, sums }: Envelope): Buffer {
  const separated = rows.flatMap((row, position) => (position === 0 ? [row] : [comma, row]));
  const wrap = (head: string, tail: string) =>
    Buffer.concat([Buffer.from(`{${head}"${key}":[`), ...separated, Buffer.from(`]${tail}}`)]);

  if (dialect === 'document') return wrap(`${inner({ limit, offset })},`, followedBy({ total }));
  if (total === 0) return wrap('', '');
  const head = offset === 0 ? { limit } : { limit, offset };
  const tail = { total, ...(sums !== undefined && { totals: sums }) };
  // The platform writes its keys in the order of the alphabet.
  return key < 'limit'
    ? wrap('', followedBy({ ...head, ...tail }))
    : wrap(`${inner(head)},`, followedBy(tail));
}

function inner(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

function followedBy(fields: object): string {
  const text = inner(fields);
  return text === '' ? '' : `,${text}`;
}
