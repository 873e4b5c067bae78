import type { Rejected } from './register.ts';
import type { Rejection } from './server.ts';

/** What is made of a record, or why nothing is; then with its id, if it has one. */
export function readRecord<Item>(
  read: (record: unknown) => Item | Rejection,
  record: unknown,
): Item | Rejected {
  const item = read(record);
  return typeof item === 'string' ? { rejection: item as Rejection, id: idOf(record), mark: 0 } : item;
}

function idOf(record: unknown): string {
  if (typeof record !== 'object' || record === null || !('id' in record)) return '';
  return typeof record.id === 'string' ? record.id : '';
}
