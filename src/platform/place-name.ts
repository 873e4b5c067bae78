import { isId, isRecord, text } from './server.ts';

/** A zone, or a region, which is in no other one. */
export interface NamedPlace {
  readonly id: string;
  readonly name: string;
  readonly regionId: string;
}

/** Undefined for a record without an id or a name. */
export function readPlaceName(record: unknown): NamedPlace | undefined {
  if (!isRecord(record)) return undefined;
  const [id, name] = [record['id'], text(record['name'])];
  if (!isId(id) || name === '') return undefined;
  return { id, name, regionId: text(record['cloudregion_id']) };
}
