import { describe, expect, it } from 'vitest';
import { lookupsFor } from '../../src/inventory/lookups.ts';
import { copyNames } from '../../src/inventory/names.ts';
import type { Reading, Row, Unsettled } from '../../src/inventory/row.ts';
import { settle } from '../../src/inventory/settle.ts';
import type { Server } from '../../src/platform/server.ts';
import { createSlices } from '../../src/yield-to-event-loop.ts';
import { serverOf } from '../metrics/hand-made.ts';

const minute = 60_000;
const readAt = 100 * minute;
const device = { id: 'd', dev_type: 'GPU-HPC', model: 'V100' };
const named = { region: 'r', zone: 'z', host: 'h', project: 'p', project_domain: 'd' };
const whole = { host_id: 'h1', tenant_id: 'p1', ...named, update_version: 2, disk: 10, disk_count: 2 };
const print = { length: 1, low: 1, high: 1 } as unknown as Row['print'];

/** With two disks, and everything else, but for what is given. */
const server = (given: object = {}, id = 'x') => serverOf({ ...whole, id, ...given });

function rowOf(one: Server, unsettled?: Unsettled): Row {
  return {
    kind: 'row',
    id: one.id,
    server: one,
    print,
    readAt: 0,
    unsettled,
    group: undefined,
    host: undefined,
  };
}

interface Case {
  /** What was known; nothing if undefined. */
  before?: object;
  unsettled?: Unsettled;
  /** What the plain list says, and the record in detail. */
  plain?: object;
  told?: object;
  /** What the second answer says; none comes if undefined. */
  second?: object;
  /** Of each witness the second answer; none comes if undefined. */
  witnesses?: readonly (object | undefined)[];
  devicesOf?: readonly string[];
}

const readingOf = (told: Server, before?: Row, plain?: Server): Reading => ({
  kind: 'reading',
  id: told.id,
  server: told,
  print,
  before,
  plain,
});

/** What is left of them, and what was asked for in between, after which waits. */
async function settleAll(
  entries: readonly (Row | Reading)[],
  { answers = new Map<string, Server>(), devicesOf = [] as readonly string[], maxAsked = 10 },
) {
  const [asked, waits]: [string[], number[]] = [[], []];
  const rows = await settle(entries, {
    lookups: lookupsFor([]),
    names: copyNames(),
    serversWithDevices: new Set(devicesOf),
    startedAt: readAt,
    plan: { pageSize: maxAsked },
    slices: createSlices(() => Promise.resolve()),
    clock: { wait: async (ms) => void waits.push(ms) },
    signal: new AbortController().signal,
    askAgain: async (ids) => {
      asked.push(...ids);
      return answers.size > 0 ? answers : undefined;
    },
  });
  return { rows, asked, waits };
}

async function settleOne({ before, unsettled, plain, told, second, witnesses = [], devicesOf }: Case) {
  const known = before && rowOf(server(before), unsettled);
  const reading = readingOf(server(told), known, plain && server(plain));
  const others = witnesses.map((_, at) => rowOf(server({ isolated_devices: [device] }, `w${at}`)));
  const answers = new Map<string, Server>();
  if (second) answers.set('x', server(second));
  for (const [at, answer] of witnesses.entries())
    if (answer) answers.set(`w${at}`, server({ isolated_devices: [device], ...answer }, `w${at}`));
  const { rows, ...more } = await settleAll([reading, ...others], {
    answers,
    ...(devicesOf && { devicesOf }),
  });
  const { unsettled: after } = rows[0]!;
  const isDoubted = after?.doubtedSince !== undefined;
  return { row: rows[0]!, state: isDoubted ? 'in doubt' : after ? 'once more' : 'settled', ...more };
}

const none = { disk: 0, disk_count: 0 };
const one = { disk: 5, disk_count: 1 };
/** The same twice, of one that had two. */
const fewer = { before: {}, told: one, second: one };
const newOne = { told: none };
const withDevice = { ...none, isolated_devices: [device] };
const doubted = (minutes: number): Unsettled => ({ doubtedSince: readAt - minutes * minute, isKept: true });
const again: Unsettled = { doubtedSince: undefined, isKept: false };

describe('a server', () => {
  it.each<[string, Case, string, number]>([
    ['as it was', { before: {} }, 'settled', 2],
    ['that is new', {}, 'once more', 2],
    ['read a second time that says the same', { before: {}, unsettled: again }, 'settled', 2],
    ['read a second time that has more', { before: one, unsettled: again }, 'in doubt', 2],
    ['with more disks than before', { before: one }, 'settled', 2],
    // Fewer, or none, than its row has.
    ['with fewer disks', { before: {}, told: one }, 'in doubt', 2],
    ['with fewer disks at a new version', { before: {}, told: { ...one, update_version: 3 } }, 'in doubt', 2],
    ['without a second answer of its own', { before: {}, told: one, witnesses: [{}] }, 'in doubt', 2],
    ['that says the same again, alone', { ...fewer, witnesses: [] }, 'in doubt', 2],
    ['beside witnesses that have theirs', { ...fewer, witnesses: [{}, {}] }, 'settled', 1],
    ['beside one that lacks its own', { ...fewer, witnesses: [{}, one] }, 'in doubt', 2],
    ['beside one that has none', { ...fewer, told: none, second: none, witnesses: [none] }, 'in doubt', 2],
    ['beside one that is gone meanwhile', { ...fewer, witnesses: [{}, undefined] }, 'settled', 1],
    ['beside those that are gone', { ...fewer, witnesses: [undefined] }, 'in doubt', 2],
    ['whose second answer has them again', { before: {}, told: none, second: {} }, 'settled', 2],
    ['whose second answer has a part', { ...fewer, told: none, witnesses: [{}] }, 'in doubt', 2],
    ['in doubt for 29 minutes', { before: {}, unsettled: doubted(29), told: none }, 'in doubt', 2],
    ['in doubt for 30 minutes', { before: {}, unsettled: doubted(30), told: none }, 'settled', 0],
    ['in doubt that has them again', { before: {}, unsettled: doubted(5) }, 'settled', 2],
    // New ones, with nothing to compare with.
    ['that is new, on a host and without disks', { told: none }, 'in doubt', 0],
    ['that is new and has them in the second answer', { told: none, second: {} }, 'once more', 2],
    ['that is new and really without', { told: none, second: none, witnesses: [{}] }, 'settled', 0],
    ['that is new, with a device then', { ...newOne, second: withDevice, witnesses: [{}] }, 'once more', 0],
    ['that is new, with fewer disks then', { told: { host: '' }, second: one }, 'once more', 2],
    ['that is new, without disks or host', { told: { ...none, host_id: '', host: '' } }, 'once more', 0],
  ])('%s: %j is %s, with %i disks', async (_words, given, state, disks) => {
    const settled = await settleOne(given);
    expect([settled.state, settled.row.server.disks]).toEqual([state, disks]);
  });

  it.each<[string, Case, string]>([
    ['that the list of devices names, without any', { before: {}, devicesOf: ['x'] }, 'in doubt'],
    ['with fewer devices than before', { before: { isolated_devices: [device] } }, 'in doubt'],
    ['without a host that nobody names', { before: {}, told: { host: '' } }, 'in doubt'],
    ['without a zone that nobody names', { before: {}, told: { zone: '' } }, 'in doubt'],
    ['without a project that nobody names', { before: {}, told: { project: '' } }, 'in doubt'],
    ['on no host, which has no name', { before: {}, told: { host_id: '', host: '', zone: '' } }, 'settled'],
    ['that names its host in the second answer', { before: {}, told: { host: '' }, second: {} }, 'settled'],
    ['that does not agree with the plain list', { before: {}, plain: { status: 'ready' } }, 'once more'],
    ['that agrees with it', { before: {}, plain: {} }, 'settled'],
  ])('%s is %s', async (_words, given, state) => expect((await settleOne(given)).state).toBe(state));

  it('whose details are older than the plain list is as that says, and has no print', async () => {
    const newer = { update_version: 3, status: 'ready', vcpu_count: 7 };
    const { row } = await settleOne({ before: {}, plain: newer });
    expect(row).toMatchObject({ print: undefined, server: { status: 'ready', vcpus: 7, disks: 2 } });
    const kept = await settleOne({ before: { ...newer, disk_count: 3 }, plain: newer });
    expect(kept.row).toMatchObject({ server: { disks: 3 }, unsettled: {} });
    const other = await settleOne({ before: { ...newer, hypervisor: 'esxi' }, plain: newer });
    expect(other.row.server.hypervisor).toBe('esxi');
  });

  it('keeps its print only where the bytes of the list say what is known', async () => {
    const printOf = async (given: Case) => (await settleOne(given)).row.print;
    expect(await printOf({ before: {} })).toBe(print);
    expect(await printOf({ before: {}, plain: {} })).toBe(print);
    expect(await printOf({ before: {}, devicesOf: ['x'], second: {} })).toBe(print);
    expect(await printOf({ before: {}, told: one })).toBeUndefined();
    expect(await printOf({ before: {}, told: one, second: {} })).toBeUndefined();
  });

  it('that keeps something is as old as that', async () => {
    expect((await settleOne({ before: {}, told: one })).row).toMatchObject({
      readAt: 0,
      unsettled: { isKept: true },
    });
    expect((await settleOne({ before: {} })).row.readAt).toBe(readAt);
  });
});

describe('what is asked for again', () => {
  it.each<[string, Case]>([
    ['that lacks nothing', { before: {}, witnesses: [{}] }],
    ['that is believed', { before: {}, unsettled: doubted(30), told: none, witnesses: [{}] }],
    ['that differs', { before: one, unsettled: again, witnesses: [{}] }],
  ])('is no server %s', async (_words, given) =>
    expect(await settleOne(given)).toMatchObject({ asked: [], waits: [] }),
  );

  it('are those that have nothing to live on, then others, a page at most, and settled witnesses', async () => {
    const entries = [
      readingOf(server(one, 'a'), rowOf(server({}, 'a'))),
      readingOf(server(none, 'b c')),
      readingOf(server(none, 'd')),
      readingOf(server({}, 'e'), rowOf(server({ isolated_devices: [device] }, 'e'))),
      readingOf(server(none, 'f')),
      rowOf(server({}, 'g')),
      rowOf(server({ isolated_devices: [device] }, 'h'), doubted(1)),
      rowOf(server({ isolated_devices: [device], ...none }, 'i')),
    ];
    const { rows, asked, waits } = await settleAll(entries, { maxAsked: 3 });
    expect([asked, waits]).toEqual([['d', 'f', 'a', 'e', 'g', 'i'], [1000]]);
    expect(rows).toHaveLength(8);
    expect(rows.slice(5)).toEqual(entries.slice(5));
  });

  it('are a page at most, and 150 where pages are smaller', async () => {
    const lacking = Array.from({ length: 170 }, (_, at) => readingOf(server(none, `l${at}`)));
    for (const [maxAsked, expected] of [
      [3, 150],
      [160, 160],
    ] as const)
      // prettier-ignore
      expect((await settleAll(lacking, { maxAsked })).asked).toHaveLength(expected);
  });

  it('counts with whatever its answer has more of, whoever was asked for, but for what is older', async () => {
    const entries = [
      rowOf(server(one, 'k')),
      rowOf(server({ ...one, update_version: 9 }, 'm')),
      readingOf(server(one, 'n'), rowOf(server(one, 'n')), server({ update_version: 9 }, 'n')),
      readingOf(server(one, 'x'), rowOf(server({}, 'x'))),
    ];
    const answers = new Map(['aa', 'k', 'm', 'n', 'x', 'zz'].map((id) => [id, server({}, id)]));
    const { rows } = await settleAll(entries, { answers });
    expect(rows.map(({ id, server: { disks } }) => [id, disks])).toEqual([['k', 2], ['m', 1], ['n', 2], ['x', 2]]); // prettier-ignore
    expect(rows[2]!.server.version, 'as the plain list says').toBe(9);
  });

  it('are with it ten witnesses at most, of each part of the servers the one with most', async () => {
    const others = Array.from({ length: 39 }, (_, at) =>
      rowOf(server({ disk_count: at % 4 === 1 ? 3 : 2 }, `w${at}`)),
    );
    const { asked } = await settleAll([readingOf(server(none)), ...others], {});
    expect(asked[0]).toBe('x');
    expect(asked.slice(1).map((id) => Number(id.slice(1)) % 4)).toEqual(Array(10).fill(1));
  });

  it('proves nothing beside servers that have no more than it was sent', async () => {
    const [lacking, other] = [server(one), server({ ...one, disk: 9 }, 'w')];
    const answers = new Map([lacking, other].map((told) => [told.id, told]));
    const { rows } = await settleAll([readingOf(lacking, rowOf(server())), rowOf(other)], { answers });
    expect(rows[0]!.server.disks).toBe(2);
  });
});
