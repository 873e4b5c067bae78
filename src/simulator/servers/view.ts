import { allows, type Rights } from '../accounts.ts';
import type { Dialect } from '../answer.ts';
import { isColumn } from '../fleet/columns.ts';
import type { Release } from '../release.ts';
import { readBoolean, readList } from './paging.ts';

/** What of a server is sent. */
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
  if (dialect === 'document') return { ...wholeServer, details, metadata: withMetadata, alone: false };
  const named = readList(query, 'field');
  return {
    ...wholeServer,
    details,
    alone: false,
    privileged: allows(rights, 'domain'),
    ...(named.length > 0 && { fields: new Set(named) }),
  };
}

export const wholeServer: View = { details: true, metadata: true, alone: true, privileged: true };

export function keyOf({ details, metadata, alone, privileged, fields }: View): string {
  return JSON.stringify([details, metadata, alone, privileged, fields && [...fields].toSorted()]);
}

const forAdministrators = new Set(['is_system', 'is_emulated', 'deleted', 'deleted_at', 'admin_secgrp_id']);

export function showsField(view: View, field: string, release: Release): boolean {
  if (!view.privileged && forAdministrators.has(field)) return false;
  if (!view.details && !isColumn(field)) return false;
  return view.fields === undefined || isGranted(view.fields, field, release);
}

/** What the running platform needs to be told before it looks something up: these are its traps. */
function isGranted(fields: ReadonlySet<string>, field: string, release: Release): boolean {
  if (!fields.has(field)) return false;
  if (field === 'project') return fields.has('tenant');
  if (field === 'disks' || field === 'disks_info') return fields.has('disk');
  if (field === 'metadata') return release !== '3.10' || fields.has('__meta__');
  return true;
}

/** Without `disk` no disk is looked up, and so none is counted. */
export function countsDisks({ fields }: View): boolean {
  return fields === undefined || fields.has('disk');
}
