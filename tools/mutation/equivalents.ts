/** A mutation after which the program does the same, so that no test can notice it. */
export interface Equivalent {
  readonly room: string;
  /** As the command prints it. */
  readonly change: string;
  readonly reason: string;
}

const plan = 'src/platform/page-plan.ts';

export const equivalents: readonly Equivalent[] = [
  {
    room: plan,
    change: 'const hasGrown = ([lesson.total ?? 0 → (lesson.total)]) > (plan.total ?? Infinity);',
    reason: 'undefined is not greater than any number either; the zero is for the compiler',
  },
  {
    room: plan,
    change: 'const hasGrown = (lesson.total ?? 0) > ([plan.total ?? Infinity → (plan.total)]);',
    reason: 'no number is greater than undefined either',
  },
  {
    room: plan,
    change: 'bound: Math.max(measured.bound, total ?? [0 → 1], lesson.offset + lesson.rows.length),',
    reason: 'a page that brings a record reaches to 1 anyway, and one that brings none has seen the end',
  },
  {
    room: plan,
    change:
      'const joins = [head !== undefined && before.rows.findLastIndex(({ id }) =>… → (before.rows.findLastIndex(({ id }) => id === head) >= 0)];',
    reason: 'ids are texts, so that undefined is never among them',
  },
  {
    room: 'src/identity/token.ts',
    change:
      'if ([!(error instanceof Failure) || !untradable.has(error.reason) → (!untradable.has(error.reason))]) throw error;',
    reason: 'an error that is no Failure has no reason, and is thrown on anyway',
  },
  {
    room: 'src/platform/list-servers.ts',
    change:
      "return [error instanceof Failure && error.reason === 'timeout' → (error.reason === 'timeout')] && error.operation === 'list_servers';",
    reason: 'an error that is no Failure has no reason either',
  },
  {
    room: 'src/inventory/problems.ts',
    change:
      "if (state === 'transition' && now - ([timestampOf(server.updatedAt) ?? now → (timestampOf(server.updatedAt))]) > settings.stuckAfterMs)",
    reason: 'without a moment the difference is no number, and not greater than any',
  },
  {
    room: 'src/inventory/problems.ts',
    change: 'if ([end === undefined → false]) return kinds;',
    reason: 'without an end both comparisons below are false; the line is for the compiler',
  },
  ...[
    '[candidates.set(kind, kept); → ;]',
    'const spare = [50 → 51];',
    'if ([lastId !== undefined && byCodeUnit(server.id, lastId) > 0 → false]) return;',
    'if (lastId !== undefined && byCodeUnit(server.id, lastId) [> → >=] 0) return;',
    'if (lastId !== undefined && byCodeUnit(server.id, lastId) > [0 → 1]) return;',
    'if (lastId !== undefined && byCodeUnit(server.id, lastId) > 0) [return; → ;]',
    'if ([problems.length <= 2 * limit + spare → true]) return;',
    'if (problems.length [<= → <] 2 * limit + spare) return;',
    'if (problems.length <= [2 → 3] * limit + spare) return;',
    "[lastIds.set(kind, kept.at(-1)?.server.id ?? ''); → ;]",
    "lastIds.set(kind, [kept.at(-1)?.server.id ?? '' → (kept.at(-1)?.server.id)]);",
  ].map((change) => ({
    room: 'src/inventory/problems.ts',
    change,
    reason: 'when servers beyond the limit are let go changes the memory they take, and not who is named',
  })),
];
