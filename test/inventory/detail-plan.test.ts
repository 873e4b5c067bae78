import { describe, expect, it } from 'vitest';
import { planDetails as planRows, type KnownDetail } from '../../src/inventory/detail-plan.ts';
import type { Plain } from '../../src/platform/plain-server.ts';
import { always } from '../../src/inventory/validity.ts';
import { toldInFull } from '../../src/platform/suspicion.ts';

const minute = 60_000;
const now = 100 * minute;

function plain(id: string, given: Partial<Plain> = {}): Plain {
  const host = `host of ${id}`;
  return {
    id,
    mark: 0,
    telling: toldInFull,
    hostId: host,
    projectId: 'p',
    version: 1,
    changedAt: 0,
    facts: 'running',
    ...given,
  };
}

function knownAs(plains: readonly Plain[], at = now - minute): Map<string, KnownDetail> {
  const reading = { at };
  return new Map(plains.map((one) => [one.id, { plain: one, reading, validity: always }]));
}

/** The plan with ids in place of rows, for what is known by id. */
function planDetails({
  known,
  ...input
}: Omit<Parameters<typeof planRows>[0], 'known'> & { known: ReadonlyMap<string, KnownDetail> }) {
  const { listed } = input;
  const plan = planRows({ ...input, known: listed.map(({ id }) => known.get(id)) });
  const ids = (rows: readonly number[]) => rows.map((row) => listed[row]!.id);
  return plan && { changed: ids(plan.changed), due: ids(plan.due), forHosts: ids(plan.forHosts) };
}

const rest = Array.from({ length: 60 }, (_, index) => plain(`s${index}`, { hostId: 'one host' }));
const wall = Date.UTC(2026, 10, 15);
const usual = { startedAt: now, now: wall, intervalMs: minute, maxAgeMs: 31 * minute };

describe('what is read in detail', () => {
  it.each<[string, Plain | undefined, Partial<Plain>]>([
    ['a server that is new', undefined, {}],
    ['one with another version', plain('x'), { version: 2 }],
    ['one on another host', plain('x'), { hostId: 'other' }],
    ['one of another project', plain('x'), { projectId: 'other' }],
    ['one of another status', plain('x'), { facts: 'ready' }],
  ])('is %s', (_words, before, given) => {
    const known = knownAs(before ? [before, ...rest] : rest);
    expect(planDetails({ ...usual, listed: [plain('x', given), ...rest], known })?.changed).toEqual(['x']);
  });

  it.each([
    ['has come', { from: 0, until: wall }],
    ['is not yet there again, since the clock was set back', { from: wall + 1, until: Infinity }],
  ])('is one that time alone changes, when that moment %s', (_words, validity) => {
    const known = knownAs(rest);
    known.set('s7', { ...known.get('s7')!, validity });
    expect(planDetails({ ...usual, listed: rest, known })?.changed).toEqual(['s7']);
  });

  it('is, of the others, so many of the oldest that each has its turn in time', () => {
    const known = new Map([...knownAs(rest.slice(0, 30), now - 9 * minute), ...knownAs(rest.slice(30))]);
    const plan = planDetails({ ...usual, listed: rest.toReversed(), known });
    expect(plan).toEqual({ changed: [], due: ['s29', 's28'], forHosts: [] });
  });

  it('is one server of a host that nobody is heard of, unless the list of hosts says the same of it', () => {
    const on = (hostId: string) => plain(`on ${hostId}`, { hostId });
    const listed = [on('up'), on('fell silent'), on('not listed'), ...rest];
    const known = new Map(
      [...knownAs(listed)].map(([id, detail]) => [id, { ...detail, isHostDown: false }] as const),
    );
    const hostsUp = new Map([
      ['up', true],
      ['fell silent', false],
      ['one host', true],
    ]);
    const due = { ...usual, listed, known, maxAgeMs: 1000 * minute };
    expect(planDetails({ ...due, hostsUp })?.forHosts).toEqual(['on fell silent', 'on not listed']);
    expect(planDetails(due)?.forHosts).toHaveLength(3);
  });

  it('is whatever would be too old before the next list, and then all is in turn again', () => {
    const known = new Map([...knownAs(rest.slice(0, 7), now - 30.5 * minute), ...knownAs(rest.slice(7))]);
    expect(planDetails({ ...usual, listed: rest, known })?.due).toEqual([
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's6',
    ]);
  });

  it('is the oldest server of each host of which nothing would be heard otherwise', () => {
    const [old, young] = [plain('old', { hostId: 'quiet' }), plain('young', { hostId: 'quiet' })];
    const known = new Map([...knownAs([young, ...rest], now - minute), ...knownAs([old], now - 2 * minute)]);
    const plan = planDetails({ ...usual, listed: [...rest, young, old], known });
    expect(plan).toMatchObject({ due: ['s0', 's1', 'old'], forHosts: [] });
    const many = [...rest, young, plain('off', { hostId: '' })];
    expect(planDetails({ ...usual, listed: many, known: knownAs(many) })?.forHosts).toEqual(['young']);
  });

  it.each<[string, number, number]>([
    ['more than half has changed', 31, minute],
    ['lists are further apart than details may be old', 0, 40 * minute],
    ['the next list would come too late for most', 0, 25 * minute],
  ])('is everything, in a detailed list, when %s', (_words, changed, intervalMs) => {
    const listed = rest.map((one, index) => (index < changed ? { ...one, version: 2 } : one));
    expect(planDetails({ ...usual, intervalMs, listed, known: knownAs(rest) })).toBeUndefined();
  });

  it('costs about the same from list to list, and nothing ever gets too old', () => {
    const reads: number[] = [];
    let known: ReadonlyMap<string, KnownDetail> = knownAs(rest, 0);
    for (let round = 1; round <= 100; round += 1) {
      const at = round * minute;
      const plan = planDetails({ ...usual, startedAt: at, listed: rest, known })!;
      const read = new Set([...plan.changed, ...plan.due, ...plan.forHosts]);
      reads.push(read.size);
      known = new Map([
        ...known,
        ...knownAs(
          rest.filter(({ id }) => read.has(id)),
          at,
        ),
      ]);
      const oldest = Math.min(...[...known.values()].map(({ reading }) => reading.at));
      expect(at + minute - oldest).toBeLessThanOrEqual(usual.maxAgeMs);
    }
    expect(new Set(reads)).toEqual(new Set([2]));
  });
});
