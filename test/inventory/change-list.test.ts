import { describe, expect, it } from 'vitest';
import {
  applyChanges,
  countOf,
  disagreementOf,
  latestOf,
  overlapSeconds,
  startOfChanges,
  type KnownList,
} from '../../src/inventory/change-list.ts';
import { driftBetween } from '../../src/inventory/list-proof.ts';
import type { Changes } from '../../src/platform/changes.ts';
import { ordinaryListOf } from '../../src/platform/ordinary-list.ts';
import type { Plain } from '../../src/platform/plain-server.ts';
import { toldInFull } from '../../src/platform/suspicion.ts';

const now = 1_000_000;
const longAgo = now - 500_000;

function plain(id: string, given: Partial<Plain> = {}): Plain {
  return {
    id,
    mark: 0,
    telling: toldInFull,
    hostId: 'host',
    projectId: 'project',
    version: 1,
    changedAt: longAgo,
    facts: 'running',
    ...given,
  };
}

function known(...listed: Plain[]): KnownList {
  const offsets = listed.map((_, index) => 10 * index);
  return { listed, offsets, rejected: new Map([['bad_number', 1]]), latestChange: longAgo };
}

function changes(...rows: (Plain | string)[]): Changes {
  const pairs = rows.map((row) =>
    typeof row === 'string' ? ([row, undefined] as const) : ([row.id, row] as const),
  );
  const times = rows.map((row) => (typeof row === 'string' ? now : row.changedAt));
  return { rows: new Map(pairs), times, pages: 1 };
}

const [a, b, c] = [plain('a'), plain('b'), plain('c')];
const changed = plain('b', { version: 2, facts: 'ready', changedAt: now });

describe('changes', () => {
  it.each<[string, Changes, readonly Plain[], readonly number[]]>([
    ['nothing', changes(), [a, b, c], [0, 10, 20]],
    ['a change', changes(changed), [a, changed, c], [0, 10, 20]],
    ['a deletion', changes('b'), [a, c], [0, 20]],
    ['a creation', changes(plain('d')), [plain('d'), a, b, c], [0, 0, 10, 20]],
    ['a creation and a deletion', changes(plain('d'), 'a'), [plain('d'), b, c], [0, 10, 20]],
    ['a deletion of who is not known', changes('x'), [a, b, c], [0, 10, 20]],
    ['all deleted', changes('a', 'b', 'c'), [], []],
  ])('are applied to what is known: %s', (_words, given, listed, offsets) => {
    const after = applyChanges(known(a, b, c), given, now);
    expect(after.listed).toEqual(listed);
    expect(after.offsets).toEqual(offsets);
    expect(countOf(after)).toBe(listed.length + 1);
  });

  it('leave a record as it is that they repeat', () => {
    expect(applyChanges(known(a, b), changes({ ...a }), now).listed[0]).toBe(a);
  });

  it.each([
    ['a past change', [now - 5], now - 5],
    ['none earlier than what is known', [longAgo - 5], longAgo],
    ['none from the future', [now - 5, now + 5], now - 5],
    ['one of this second', [now], now],
  ])('move the latest change that is known: %s', (_words, times, latest) => {
    expect(latestOf(times, now, longAgo)).toBe(latest);
  });

  it('are asked for from before the clocks of both, changes and deletions', () => {
    expect(overlapSeconds).toBeGreaterThanOrEqual(60);
    const list = known(a);
    expect(startOfChanges(list, now)).toBe(longAgo - overlapSeconds);
    expect(startOfChanges(list, longAgo - 7)).toBe(longAgo - 7 - overlapSeconds);
  });

  it.each<[string, Plain[], Changes, number, string | undefined]>([
    ['as many as there are', [a, b], changes(), 3, undefined],
    ['fewer', [a, b], changes(), 4, '3 servers are known, the platform has 4'],
    ['more', [a, b], changes(), 2, '3 servers are known, the platform has 2'],
    ['a change told again', [a, changed], changes(changed), 3, undefined],
    ['a change told as deleted', [a, changed], changes('b'), 2, undefined],
    ['a change told no more', [a, changed], changes(), 3, '1 changes that are known are not told any more'],
  ])('add up, or not: %s', (_words, listed, given, total, words) => {
    const list = known(...listed);
    const counted = countOf(applyChanges(list, given, now));
    expect(disagreementOf(list, given, { second: now - 100, counted, total })).toBe(words);
  });
});

describe('a drift', () => {
  const other = plain('b', { facts: 'ready' });
  it.each<[string, Plain[], Plain[], [string[], string[], string[]]]>([
    ['nothing', [a, b], [b, a], [[], [], []]],
    ['another content', [a, b], [a, other], [['b'], [], []]],
    ['another content that was stamped just now', [a, b], [a, changed], [[], [], []]],
    ['one unseen and one gone', [a, b], [a, c], [[], ['c'], ['b']]],
    ['one created just now', [a], [plain('n', { changedAt: now }), a], [[], [], []]],
    ['one gone just now', [a, b], [a], [[], [], []]],
  ])('is what a whole list shows otherwise: %s', (_words, expected, whole, [altered, unknown, gone]) => {
    expect(driftBetween(expected, whole, now - 100)).toEqual({ altered, unknown, gone });
  });
});

describe('the ordinary list', () => {
  const record = { deleted: false, pending_deleted: false, is_system: false, is_emulated: false };
  const shown = (query: Record<string, string>) => {
    const list = ordinaryListOf(Object.entries(query));
    if (typeof list === 'string') throw new Error(list);
    const flags = ['deleted', 'pending_deleted', 'is_system', 'is_emulated'] as const;
    return [...flags.filter((flag) => list.shows({ ...record, [flag]: true })), list.shows(record)];
  };

  it.each([
    [{}, [true]],
    [{ pending_delete: 'all' }, ['pending_deleted', true]],
    [{ pending_delete: 'true' }, ['pending_deleted', false]],
    [{ pending_delete: 'false', order: 'asc' }, [true]],
    [{ system: 'true' }, ['is_system', true]],
    [{ show_emulated: '1', with_meta: 'true' }, ['is_emulated', true]],
  ])('with %j shows %j', (query, expected) => {
    expect(shown(query)).toEqual(expected);
  });

  it.each([
    [[['status', 'running']], 'status'],
    [[['filter', 'id.in(a)']], 'filter'],
    [[['delete', 'all']], 'delete'],
    [
      [
        ['scope', 'system'],
        ['scope', 'project'],
      ],
      'scope',
    ],
  ] as const)('cannot be told from a record with %j', (query, name) => {
    expect(ordinaryListOf(query)).toBe(name);
  });

  it('has deleted servers beside it only where it is of everybody', () => {
    const spares = (scope: string) => ordinaryListOf([['scope', scope]]);
    for (const scope of ['system', 'max']) expect(spares(scope)).toMatchObject({ isOfEverybody: true });
    for (const scope of ['domain', 'project']) expect(spares(scope)).toMatchObject({ isOfEverybody: false });
    expect(ordinaryListOf([])).toMatchObject({ isOfEverybody: false });
  });
});
