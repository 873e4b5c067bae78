type Query = readonly (readonly [string, string])[];
type Raw = Readonly<Record<string, unknown>>;

/** Which servers the list shows that is asked for without `delete=all`. */
export interface OrdinaryList {
  /** Whether it has the servers of all owners: only then can deleted ones be asked for, since those of all owners come. */
  readonly isOfEverybody: boolean;
  shows(record: Raw): boolean;
}

/** What does not choose among servers. */
const harmless: ReadonlySet<string> = new Set(['order', 'order_by', 'with_meta', 'summary_stats']);
const checked: ReadonlySet<string> = new Set(['scope', 'pending_delete', 'system', 'show_emulated']);

/** Of the configured parameters; a text names the one that chooses by what cannot be checked on a record. */
export function ordinaryListOf(query: Query): OrdinaryList | string {
  const chosen = query.filter(([name]) => !harmless.has(name));
  const odd = chosen.find(
    ([name], index) => !checked.has(name) || chosen.some(([other], later) => other === name && later > index),
  );
  if (odd) return odd[0];
  const values = new Map(chosen);
  const isAsked = (name: string) => isTrue(values.get(name));
  const bin = binOf(values.get('pending_delete'));
  const scope = values.get('scope');
  return {
    // With a narrower scope the platform would show what belongs to others, and a record does not tell to whom we belong.
    isOfEverybody: scope === 'system' || scope === 'max',
    shows(record) {
      return (
        !isTrue(record['deleted']) &&
        (bin === 'shown' || isTrue(record['pending_deleted']) === (bin === 'only')) &&
        (isAsked('system') || !isTrue(record['is_system'])) &&
        (isAsked('show_emulated') || !isTrue(record['is_emulated']))
      );
    },
  };
}

function binOf(value: string | undefined): 'shown' | 'only' | 'hidden' {
  if (value === 'all') return 'shown';
  return isTrue(value) ? 'only' : 'hidden';
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === '1';
}
