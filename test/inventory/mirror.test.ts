import {
  assert,
  constantFrom,
  array,
  record,
  integer,
  property,
  asyncProperty,
  boolean,
  uniqueArray,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMirror, type Mirror, type Reading } from '../../src/inventory/mirror.ts';
import { learnFrom } from '../../src/inventory/names.ts';
import type { Row } from '../../src/inventory/row.ts';
import { compareIds } from '../../src/platform/id-ranges.ts';
import { readRecords, type Print } from '../../src/platform/records.ts';
import type { Server } from '../../src/platform/server.ts';
import { createSlices, createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';
import { serverOf } from '../metrics/hand-made.ts';

function rowOf(id: string, version: number, print?: Print): Row {
  const server = serverOf({ id, name: `name ${version}`, vcpu_count: version });
  return { id, server, print, readAt: 0, kept: undefined, at: undefined };
}

/** A full list of these, in this order. */
function commit(reading: Reading, rows: readonly Row[]): void {
  for (const row of rows) reading.put(row);
  reading.commit('full', { isAscending: isSorted(rows.map(({ id }) => id)), hosts: [] });
}

function isSorted(ids: readonly string[]): boolean {
  return ids.toSorted(compareIds).join() === ids.join();
}

/** What is in it, as a plain map would have it; each record is expected behind the one before. */
function contentOf(mirror: Mirror): Record<string, number> {
  const rows = [...mirror.rows()];
  expect(rows).toHaveLength(mirror.size);
  for (const row of rows) expect(mirror.get(row.id)).toBe(row);
  expect(mirror.ids()).toEqual(rows.map(({ id }) => id).toSorted(compareIds));
  const expectedAfter = (id: string | undefined) => {
    const { items, at } = mirror.expectedAfter(id);
    return items[at];
  };
  expect([undefined, ...rows.map(({ id }) => id)].map(expectedAfter)).toEqual([...rows, undefined]);
  expect(expectedAfter('nobody')).toBeUndefined();
  return Object.fromEntries(rows.map(({ id, server }) => [id, server.vcpus]));
}

/** The platform does not look at case where it orders them. */
const ids = constantFrom(...'aBcDeFgHiJ'.split(''));
const server = record({ id: ids, version: integer({ min: 0, max: 9 }) });
const step = record({
  kind: constantFrom('full' as const, 'changes' as const),
  servers: array(server, { maxLength: 14 }),
  gone: array(ids, { maxLength: 4 }),
  /** Begun, and given up at once or after the others; or committed too late. */
  abandoned: array(server, { maxLength: 4 }),
  isLate: boolean(),
});

describe('the mirror', () => {
  it('has what the platform had, whatever readings are committed, abandoned and overtaken', () => {
    const steps = array(step, { maxLength: 12 });
    assert(
      property(steps, (all) => {
        const mirror = createMirror();
        const model = new Map<string, number>();
        const abandoned: Reading[] = [];
        expect(mirror.isEmpty).toBe(false);
        for (const { kind, servers, gone, abandoned: others, isLate } of all) {
          const lost = mirror.begin();
          abandoned.push(lost);
          const reading = mirror.begin();
          const seen = new Map<string, number | undefined>();
          for (const { id, version } of servers) {
            reading.put(rowOf(id, version));
            seen.set(id, version);
          }
          for (const id of kind === 'changes' ? gone : []) {
            reading.remove(id);
            seen.set(id, undefined);
          }
          for (const one of abandoned) for (const { id, version } of others) one.put(rowOf(id, version));
          expect(reading.lost()).toBe([...model.keys()].filter((id) => seen.get(id) === undefined).length);
          const isAscending = isSorted([...seen.keys()]);
          expect(reading.commit(kind, { isAscending, hosts: [] })).toBe(true);
          if (kind === 'full') model.clear();
          for (const [id, version] of seen)
            if (version === undefined) model.delete(id);
            else model.set(id, version);
          for (const one of abandoned) for (const { id } of others) one.remove(id);
          if (isLate) expect(lost.commit('full', { isAscending: true, hosts: [] })).toBe(false);
          expect(contentOf(mirror)).toEqual(Object.fromEntries(model));
          expect(mirror.isEmpty).toBe(model.size === 0);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('has each row under the latest names of its ids, and gives it anew only where these change', () => {
    const mirror = createMirror();
    const [one, other] = [rowOf('a', 1), rowOf('b', 1)];
    const placed = {
      ...one,
      server: { ...one.server, hostId: 'h', host: 'old', projectId: 'p', project: 'p1' },
    };
    function list(told: Partial<Server> = {}) {
      const reading = mirror.begin();
      learnFrom(reading.names, { ...placed.server, ...told });
      commit(reading, [mirror.get('a') ?? placed, mirror.get('b') ?? other]);
      const { host, project } = mirror.get('a')!.at!;
      return [host.host, project.project];
    }
    expect(list()).toEqual(['old', 'p1']);
    const before = mirror.rows();
    expect([list(), mirror.rows()]).toEqual([['old', 'p1'], before]);
    expect(mirror.get('a')).toBe(before[0]);
    expect(list({ host: 'new' })).toEqual(['new', 'p1']);
    expect(list({ host: 'new', project: 'p2' })).toEqual(['new', 'p2']);
    expect(mirror.get('b')).toBe(before[1]);
  });
});

interface Known {
  readonly id: string;
  readonly version: number;
  readonly pad: string;
}

/** Reads a page as a list does: what is as expected is the row that is known. */
async function readPage(mirror: Mirror, servers: readonly Known[], after?: string) {
  const parsed: string[] = [];
  const body = Buffer.from(JSON.stringify({ limit: 10, servers: servers.map(rawOf), total: servers.length }));
  const take = (raw: unknown, print: Print) => {
    const { id, vcpu_count: version } = raw as ReturnType<typeof rawOf>;
    parsed.push(id);
    return rowOf(id, version, print);
  };
  const input = { list: 'servers', mostRecords: 10, take, expected: mirror.expectedAfter<Row>(after) };
  const page = (await readRecords<Row>(body, input, createSlices(createYieldToEventLoop())))!;
  return { rows: page.items, parsed };
}

function rawOf({ id, version, pad }: Known) {
  return { id, nested: [{ pad }, { pad: '},{' }], vcpu_count: version };
}

describe('known records', () => {
  it('are told by their bytes, wherever they stand and however they change', async () => {
    const pads = constantFrom('', 'x', 'é"\\', '}],{', '\u0000');
    const known = record({ id: ids, version: integer({ min: 0, max: 3 }), pad: pads });
    const lists = array(uniqueArray(known, { selector: ({ id }) => id, maxLength: 10 }), { maxLength: 8 });
    await assert(
      asyncProperty(lists, async (all) => {
        const mirror = createMirror();
        for (const servers of all) {
          const { rows } = await readPage(mirror, servers);
          commit(mirror.begin(), rows);
          expect(rows.map(({ id, server: { vcpus } }) => [id, vcpus])).toEqual(
            servers.map(({ id, version }) => [id, version]),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are not parsed again; one that changed, came or went costs no other one', async () => {
    const mirror = createMirror();
    const servers = 'abcdefgh'.split('').map((id) => ({ id, version: 1, pad: 'p' }));
    const parsedOf = async (list: readonly Known[]) => {
      const { rows, parsed } = await readPage(mirror, list);
      commit(mirror.begin(), rows);
      return parsed.join('');
    };
    expect(await parsedOf(servers)).toBe('abcdefgh');
    expect(await parsedOf(servers)).toBe('');
    expect(await parsedOf(servers.map((one) => (one.id === 'c' ? { ...one, version: 2 } : one)))).toBe('c');
    expect(await parsedOf(servers)).toBe('c');
    expect(await parsedOf([{ id: 'new', version: 1, pad: 'p' }, ...servers])).toBe('new');
    expect((await readPage(mirror, servers.slice(4), 'd')).parsed.join('')).toBe('');
    // Of those that stood elsewhere, the first is looked for among all.
    expect(await parsedOf([...servers.slice(5), ...servers.slice(0, 5)])).toBe('fa');
  });
});
