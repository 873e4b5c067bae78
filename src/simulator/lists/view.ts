import { allows, type Rights } from '../accounts.ts';
import type { Dialect } from '../answer.ts';
import { readBoolean, readList } from './paging.ts';

/** What of a record is sent. */
export interface View {
  readonly details: boolean;
  readonly metadata: boolean;
  /** One server asked for by its id has more than a server in a list. */
  readonly alone: boolean;
  /** Some fields are for administrators only. */
  readonly privileged: boolean;
  /** The names after `field=`; all fields if none was named. */
  readonly fields?: ReadonlySet<string>;
}

/** Absent `details` means true; `with_meta` matters only to the document, the running platform never reads it. */
export function readView(query: URLSearchParams, dialect: Dialect, rights: Rights): View {
  const details = readBoolean(query, 'details', dialect) ?? true;
  const withMetadata = readBoolean(query, 'with_meta', dialect) ?? false;
  if (dialect === 'document') return { ...wholeRecord, details, metadata: withMetadata, alone: false };
  const named = readList(query, 'field');
  return {
    ...wholeRecord,
    details,
    alone: false,
    privileged: allows(rights, 'domain'),
    ...(named.length > 0 && { fields: new Set(named) }),
  };
}

export const wholeRecord: View = { details: true, metadata: true, alone: true, privileged: true };

export function keyOf({ details, metadata, alone, privileged, fields }: View): string {
  return JSON.stringify([details, metadata, alone, privileged, fields && [...fields].toSorted()]);
}
