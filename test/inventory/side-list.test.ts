import { describe, expect, it } from 'vitest';
import { readSideList, type SideList } from '../../src/inventory/side-list.ts';
import { sideResources, type SideKind } from '../../src/inventory/side-resources.ts';
import type { PlatformApi } from '../../src/platform/api.ts';
import { readRecords } from '../../src/platform/records.ts';
import { createSlices } from '../../src/yield-to-event-loop.ts';
import { createEagerClock } from '../support/manual-clock.ts';

type Fields = Readonly<Record<string, unknown>>;

const minute = 60_000;

/** Lists of one resource, read from the bytes of the records that the platform has then. */
function setUp(resource: 'hosts' | 'storages', isById = true) {
  const kind: SideKind = sideResources[resource];
  const clock = createEagerClock();
  const slices = createSlices(() => Promise.resolve());
  let startedAt = 0;
  let records: readonly Fields[] = [];
  let parsed: unknown[] = [];
  let before: SideList | undefined;
  const api: Pick<PlatformApi, 'listPage'> = {
    async listPage({ ask: { range, offset = 0, limit } }, _context, reader) {
      const isRanged = range !== undefined && isById;
      const after = range?.after ?? '';
      const ranged = isRanged
        ? records.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
        : records;
      const matching = ranged.filter(({ id }) => !isRanged || String(id) > after).slice(offset);
      const body = Buffer.from(JSON.stringify({ [resource]: matching.slice(0, limit) }));
      const page = await readRecords(body, { list: resource, mostRecords: 10_000, ...reader }, slices);
      return { items: page!.items, total: matching.length, limit };
    },
  };
  /** The next list, after some time. */
  async function list(now: readonly Fields[], afterMs = minute) {
    startedAt += afterMs;
    [records, parsed] = [now, []];
    const counting: SideKind = {
      ...kind,
      read(record) {
        parsed.push(record);
        return kind.read(record);
      },
    };
    const input = { resource, kind: counting, before, api: api as PlatformApi, startedAt, clock };
    const over = { plan: { pageLimit: 50 }, deadline: Infinity, signal: new AbortController().signal };
    before = await readSideList({ ...input, ...over });
    return { ...before, parsed: parsed.length };
  }
  return { list };
}

const hosts: readonly Fields[] = Array.from({ length: 3000 }, (_, at) => ({
  id: `h${10_000 + at}`,
  name: `host-${at}`,
  host_status: 'online',
}));

describe('a list beside the servers', () => {
  it.each([
    ['by id', true],
    ['by offset, in whatever order', false],
  ])('read %s is known again by its bytes, and is the same list then', async (_words, isById) => {
    const { list } = setUp('hosts', isById);
    const there = isById ? hosts : hosts.toReversed();
    const first = await list(there, 0);
    expect(first.byOffset === undefined).toBe(isById);
    expect([first.items.length, first.parsed >= 3000]).toEqual([3000, true]);
    const second = await list(there);
    expect(second.parsed).toBe(0);
    expect(second.items === first.items, 'the same array').toBe(true);

    const changed = there.with(7, { ...there[7], name: 'renamed' });
    const others = [...changed.slice(0, 2000), ...changed.slice(2003)];
    const third = await list(others);
    expect(third.parsed).toBeLessThan(5);
    expect(third.items).toHaveLength(2997);
    expect(third.items[7]).toMatchObject({ name: 'renamed' });
    expect(third.items[2996] === first.items[2999], 'the same host').toBe(true);
    const more = others.toSpliced(50, 0, { id: 'h10050x', name: 'new' });
    const fourth = await list(more);
    expect(fourth.items).toHaveLength(2998);
  });

  it('is the same where only what nobody reads has changed', async () => {
    const { list } = setUp('hosts');
    const first = await list(hosts);
    const second = await list(hosts.map((host) => ({ ...host, updated_at: 'just now' })));
    expect(second.parsed).toBe(3000);
    expect(second.items === first.items, 'the same array').toBe(true);
  });

  it('does not read a record anew that was of no use', async () => {
    const { list } = setUp('hosts');
    const odd = [...hosts.slice(0, 9), { id: 'h10008x' }, { name: 'without an id' }];
    expect(await list(odd)).toMatchObject({ rejected: 2, parsed: 11 });
    const second = await list(odd);
    expect([second.rejected, second.items.length]).toEqual([2, 9]);
    expect(second.parsed).toBeLessThan(3);
  });
});

describe('a storage that is told without what it had', () => {
  const storages = 'abcdefgh'
    .split('')
    .map((id) => ({ id, name: id, used_capacity: 300, region: 'r', zone: 'z' }));
  const without = (count: number) =>
    storages.map((storage, at) => (at < count ? { ...storage, used_capacity: 0 } : storage));
  const setUpStorages = async () => {
    const { list } = setUp('storages');
    const first = await list(storages);
    const told = async (now: readonly Fields[], afterMs = minute) => {
      const { items, doubts, parsed } = await list(now, afterMs);
      return {
        promised: items.map(({ promised }) => promised).join(' '),
        doubts: doubts.size,
        parsed,
        items,
      };
    };
    return { first, told };
  };
  const all = Array.from({ length: 8 }, () => 300).join(' ');
  const lacking = (count: number) => Array.from({ length: 8 }, (_, at) => (at < count ? 0 : 300)).join(' ');

  it('keeps it once, and is believed at the second list of the same bytes, if most others have theirs', async () => {
    const { first, told } = await setUpStorages();
    const second = await told(without(2));
    expect(second).toMatchObject({ promised: all, doubts: 2 });
    expect(second.items === first.items, 'the same array').toBe(true);
    expect(await told(without(2))).toMatchObject({ promised: lacking(2), doubts: 0, parsed: 0 });
    expect(await told(without(2))).toMatchObject({ promised: lacking(2), doubts: 0, parsed: 0 });
    expect(await told(storages)).toMatchObject({ promised: all, doubts: 0 });
  });

  it('keeps it for half an hour of the same bytes, while most others lack theirs', async () => {
    const { first, told } = await setUpStorages();
    for (const afterMs of [minute, minute, minute]) {
      const { items, ...words } = await told(without(6), afterMs);
      expect(words).toMatchObject({ promised: all, doubts: 6 });
      expect(items === first.items, 'the same array').toBe(true);
    }
    expect(await told(without(6), 28 * minute)).toMatchObject({ promised: lacking(6), doubts: 0, parsed: 0 });
  });

  it('is believed as soon as others have theirs again, though its own bytes are the same', async () => {
    const { told } = await setUpStorages();
    expect(await told(without(6))).toMatchObject({ promised: all, doubts: 6 });
    expect(await told(without(2))).toMatchObject({ promised: lacking(2), doubts: 0, parsed: 4 });
  });

  it('has it again when it is told again, and is in doubt anew when it is lost anew', async () => {
    const { first, told } = await setUpStorages();
    await told(without(2));
    const again = await told(storages);
    expect(again).toMatchObject({ promised: all, doubts: 0 });
    expect(again.items === first.items, 'the same array').toBe(true);
    expect(await told(without(2))).toMatchObject({ promised: all, doubts: 2 });
  });
});
