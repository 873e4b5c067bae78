import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { cloudFamilies, createMetricsPage, type MetricsPage } from '../../src/metrics/page.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import { parseExposition } from '../support/exposition.ts';
import { serverOf, snapshotOf, textOf, viewOf } from './hand-made.ts';

const place = ['north', 'a', 'kvm', 'Default', 'shop'];
const serverNames = serverTables.flatMap(({ families }) => families.map(({ name }) => name));

function servers(count: number) {
  const expired_at = '2030-01-01T00:00:00Z';
  const [created_at, updated_at] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'];
  return Array.from({ length: count }, (_, row) =>
    serverOf({ id: `i-${row}`, expired_at, created_at, updated_at }),
  );
}

function host(name: string) {
  return {
    region: 'north',
    zone: 'a',
    host: name,
    hypervisor: 'kvm',
    isUp: true,
    states: [{ state: 'running', sums: [1, 1, 1, 1, 1, 0] }],
    room: undefined,
    devices: [],
  } as const;
}

async function read(
  page: MetricsPage,
  snapshots: readonly Snapshot[],
  format: 'text' | 'openmetrics' = 'text',
) {
  const pieces: Buffer[] = [];
  for await (const piece of page.write(
    snapshots.map((snapshot) => viewOf(snapshot)),
    format,
  ))
    pieces.push(piece);
  return { pieces, text: Buffer.concat(pieces).toString() };
}

/** A snapshot that tells how often somebody went through its groups. */
function watched(groups: Snapshot['groups']): { snapshot: Snapshot; readings: () => number } {
  let readings = 0;
  const snapshot = {
    ...snapshotOf(),
    get groups() {
      readings += 1;
      return groups;
    },
  };
  return { snapshot, readings: () => readings };
}

describe('the page', () => {
  it('writes each snapshot once, however many ask for it, in whichever format', async () => {
    const page = createMetricsPage({ yieldToEventLoop: () => Promise.resolve() });
    const { snapshot, readings } = watched([{ place, state: 'running', sums: [1, 2, 3, 4, 5] }]);
    const answers = [read(page, [snapshot]), read(page, [snapshot], 'openmetrics'), read(page, [snapshot])];
    const [one, , other] = await Promise.all(answers);
    await read(page, [snapshot]);
    expect(readings()).toBe(1);
    expect(one?.text).toBe(other?.text);
  });

  it('says what has changed in the next snapshot, and nothing of the last', async () => {
    const page = createMetricsPage({ yieldToEventLoop: () => Promise.resolve() });
    const vcpus = async (count: number) => {
      const groups = count === 0 ? [] : [{ place, state: 'running' as const, sums: [1, count, 3, 4, 5] }];
      return parseExposition((await read(page, [snapshotOf({ groups })])).text).value('cloud_servers_vcpus');
    };
    expect([await vcpus(1), await vcpus(2), await vcpus(0)]).toEqual([1, 2, undefined]);
  });

  it('has the samples of a family together, whichever cloud they are of', async () => {
    const groups = [{ place, state: 'running', sums: [1, 2, 3, 4, 5] }] as const;
    const views = ['one', 'two', 'three'].map((cloud) => viewOf(snapshotOf({ cloud, groups })));
    for (const format of ['text', 'openmetrics'] as const) {
      // The reader refuses a family that stands in two places.
      const parsed = parseExposition(await textOf(views, format), format === 'openmetrics');
      expect(parsed.of('cloud_servers_vcpus').map(({ labels }) => labels['cloud'])).toEqual([
        'one',
        'two',
        'three',
      ]);
      expect(parsed.of('cloud_up')).toHaveLength(3);
    }
  });

  it('lets others work in between, and comes in few pieces', async () => {
    let turns = 0;
    const yieldToEventLoop = () => {
      turns += 1;
      return new Promise<void>((resolve) => setImmediate(resolve));
    };
    const page = createMetricsPage({ yieldToEventLoop });
    const snapshot = snapshotOf({ servers: servers(20_000), exportsServers: true });
    const { pieces, text } = await read(page, [snapshot]);
    expect(turns).toBeGreaterThan(pieces.length);
    expect(pieces.length).toBeLessThan(text.length / 60_000);
    const again = turns;
    await read(page, [snapshot]);
    expect(turns - again).toBe(pieces.length - 1);
  });

  it('names no family and no label of a family twice', () => {
    const names = cloudFamilies.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, labels } of cloudFamilies) expect(new Set(labels).size, name).toBe(labels.length);
  });
});

describe('series_limit', () => {
  const fleet = snapshotOf({ groups: [{ place, state: 'running', sums: [1, 2, 3, 4, 5] }] });
  /** The sums, and the counts of problems. */
  const fleetSeries = 5 + 8;
  const hosts = [host('a'), host('b')];

  async function kept(snapshot: Snapshot) {
    const parsed = parseExposition(await textOf([viewOf(snapshot)]));
    return {
      parsed,
      dropped: parsed.value('cloud_exporter_series_dropped'),
      names: [...parsed.families.keys()],
    };
  }

  it.each([0, 1, 2, 5, 9])('keeps %i families of single servers, each of them whole', async (count) => {
    const seriesLimit = fleetSeries + count * 100 + (count < 9 ? 99 : 0);
    const snapshot = { ...fleet, servers: servers(100), exportsServers: true, seriesLimit };
    const { parsed, names, dropped } = await kept(snapshot);
    const present = serverNames.filter((name) => names.includes(name));
    expect(present).toEqual(serverNames.slice(0, count));
    for (const name of present) expect(parsed.of(name), name).toHaveLength(100);
    expect(dropped).toBe((9 - count) * 100);
  });

  it('drops hosts after single servers and before the fleet, family by family', async () => {
    const seriesLimit = fleetSeries + 2 * hosts.length;
    const { parsed, names, dropped } = await kept({
      ...fleet,
      hosts,
      servers: servers(1),
      exportsServers: true,
      seriesLimit,
    });
    const ofHosts = ['cloud_host_up', 'cloud_host_servers'];
    expect(names.filter((name) => name.startsWith('cloud_host_'))).toEqual(ofHosts);
    expect(names.filter((name) => serverNames.includes(name))).toEqual([]);
    expect(parsed.value('cloud_servers_vcpus')).toBe(2);
    expect(dropped).toBe(2 * hosts.length + 9);
  });

  it('keeps the fleet in any case, and counts the label sets that were merged', async () => {
    const { parsed, dropped } = await kept({ ...fleet, hosts, seriesLimit: 1, mergedSets: 7 });
    expect(parsed.value('cloud_servers_vcpus')).toBe(2);
    expect(dropped).toBe(7 + 4 * hosts.length);
  });

  it('drops nothing where nothing is too much', async () => {
    expect((await kept({ ...fleet, hosts })).dropped).toBe(0);
  });

  it('has no single servers that only discovery asked for', async () => {
    const { names } = await kept({ ...fleet, servers: servers(3) });
    expect(names.filter((name) => serverNames.includes(name))).toEqual([]);
  });
});
