import { assert, constantFrom, array, record, integer, property, boolean, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMirror, type Mirror, type Reading } from '../../src/inventory/mirror.ts';
import type { Row } from '../../src/inventory/row.ts';
import { readRecords, type Print } from '../../src/platform/records.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

const readServer = createServerReader([]);

function serverOf(id: string, version: number): Server {
  const raw = { id, name: `name ${version}`, vcpu_count: version, vmem_size: 1, disk: 1, disk_count: 1 };
  return readServer(raw) as Server;
}

function rowOf(id: string, version: number, print?: Print): Row {
  return { id, server: serverOf(id, version), print, readAt: 0, kept: undefined, at: undefined };
}

const facts = { isAscending: true, hosts: [] };

/** What is in it, as a plain map would have it. */
function contentOf(mirror: Mirror): Record<string, number> {
  const rows = [...mirror.rows()];
  expect(rows).toHaveLength(mirror.size);
  for (const row of rows) expect(mirror.get(row.id)).toBe(row);
  expect([...mirror.ids()].toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  return Object.fromEntries(rows.map(({ id, server }) => [id, server.vcpus]));
}

const ids = constantFrom(...'abcdefghij'.split(''));
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
        for (const { kind, servers, gone, abandoned: others, isLate } of all) {
          const lost = mirror.begin();
          abandoned.push(lost);
          const reading = mirror.begin();
          const seen = new Set<string>();
          if (kind === 'full') model.clear();
          for (const { id, version } of servers) {
            expect(reading.put(rowOf(id, version))).toBe(!seen.has(id));
            seen.add(id);
            model.set(id, version);
          }
          if (kind === 'changes')
            for (const id of gone) {
              reading.remove(id);
              model.delete(id);
            }
          for (const one of abandoned) for (const { id, version } of others) one.put(rowOf(id, version));
          expect(reading.commit(kind, facts)).toBe(true);
          for (const one of abandoned) for (const { id } of others) one.remove(id);
          if (isLate) expect(lost.commit('full', facts)).toBe(false);
          expect(contentOf(mirror)).toEqual(Object.fromEntries(model));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('knows how many servers a full list lacks, before it is committed', () => {
    const mirror = createMirror();
    const first = mirror.begin();
    for (const id of 'abc') first.put(rowOf(id, 1));
    first.commit('full', facts);
    const second = mirror.begin();
    second.put(rowOf('b', 2));
    second.put(rowOf('new', 1));
    expect(second.lost()).toBe(2);
    expect(contentOf(mirror)).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('tells ids in the order of the platform, which does not look at case', () => {
    const mirror = createMirror();
    const reading = mirror.begin();
    for (const id of ['b', 'C']) reading.put(rowOf(id, 1));
    reading.commit('full', facts);
    const changes = mirror.begin();
    changes.put(rowOf('A', 1));
    changes.commit('changes', facts);
    expect(mirror.ids()).toEqual(['A', 'b', 'C']);
  });
});

interface Known {
  readonly id: string;
  readonly version: number;
  readonly pad: string;
}

/** Reads a page as a list does: what is as expected is the row that is known. */
function readPage(mirror: Mirror, servers: readonly Known[], after?: string) {
  const parsed: string[] = [];
  const body = Buffer.from(JSON.stringify({ limit: 10, servers: servers.map(rawOf), total: servers.length }));
  const page = readRecords<Row>(
    body,
    'servers',
    (raw, print) => {
      const { id, vcpu_count: version } = raw as ReturnType<typeof rawOf>;
      parsed.push(id);
      return rowOf(id, version, print);
    },
    mirror.expectedAfter(after),
  )!;
  return { rows: page.items, parsed };
}

function rawOf({ id, version, pad }: Known) {
  return { id, nested: [{ pad }, { pad: '},{' }], vcpu_count: version };
}

describe('known records', () => {
  it('are told by their bytes, wherever they stand and however they change', () => {
    const pads = constantFrom('', 'x', 'é"\\', '}],{', '\u0000');
    const known = record({ id: ids, version: integer({ min: 0, max: 3 }), pad: pads });
    const lists = array(uniqueArray(known, { selector: ({ id }) => id, maxLength: 10 }), { maxLength: 8 });
    assert(
      property(lists, (all) => {
        const mirror = createMirror();
        for (const servers of all) {
          const { rows } = readPage(mirror, servers);
          const reading = mirror.begin();
          for (const row of rows) reading.put(row);
          reading.commit('full', facts);
          expect(rows.map(({ id, server: { vcpus } }) => [id, vcpus])).toEqual(
            servers.map(({ id, version }) => [id, version]),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are not parsed again; one that changed, came or went costs no other one', () => {
    const mirror = createMirror();
    const servers = 'abcdefgh'.split('').map((id) => ({ id, version: 1, pad: 'p' }));
    const commit = (list: readonly Known[]) => {
      const { rows, parsed } = readPage(mirror, list);
      const reading = mirror.begin();
      for (const row of rows) reading.put(row);
      reading.commit('full', facts);
      return parsed.join('');
    };
    expect(commit(servers)).toBe('abcdefgh');
    expect(commit(servers)).toBe('');
    expect(commit(servers.map((one) => (one.id === 'c' ? { ...one, version: 2 } : one)))).toBe('c');
    expect(commit(servers)).toBe('c');
    expect(commit([{ id: 'new', version: 1, pad: 'p' }, ...servers])).toBe('new');
    expect(readPage(mirror, servers.slice(4), 'd').parsed.join('')).toBe('');
  });
});
