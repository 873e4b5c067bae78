import { flag, type Raw } from './server.ts';

/** What does not choose among servers; what is checked on the record. */
const harmless: ReadonlySet<string> = new Set([
  'order',
  'order_by',
  'limit',
  'offset',
  'with_meta',
  'summary_stats',
]);
const checked: ReadonlySet<string> = new Set(['scope', 'pending_delete', 'system', 'show_emulated']);

/** Whether the ordinary list shows a server; a text names the parameter that chooses by what a record does not tell. */
export function ordinaryListOf(
  query: readonly (readonly [string, string])[],
): ((record: Raw) => boolean) | string {
  const chosen = query.filter(([name]) => !harmless.has(name));
  const odd = chosen.find(
    ([name], index) => !checked.has(name) || chosen.some(([other], later) => other === name && later > index),
  );
  if (odd) return odd[0];
  const values = new Map(chosen);
  const isAsked = (name: string) => isTrue(values.get(name));
  const bin = values.get('pending_delete');
  return (record) => {
    const isInBin = flag(record['pending_deleted']);
    if (flag(record['deleted']) || (isInBin && bin !== 'all' && !isTrue(bin)) || (!isInBin && isTrue(bin)))
      return false;
    return (
      (isAsked('system') || !flag(record['is_system'])) &&
      (isAsked('show_emulated') || !flag(record['is_emulated']))
    );
  };
}

function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}
