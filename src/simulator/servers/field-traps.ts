import { isColumn } from '../fleet/columns.ts';
import type { View } from '../lists/view.ts';
import type { Release } from '../release.ts';

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
