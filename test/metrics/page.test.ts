import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import type { Format } from '../../src/metrics/exposition.ts';
import { hostSettings } from '../../src/metrics/hosts.ts';
import { createMetricsPage, type MetricsPage } from '../../src/metrics/page.ts';
import { countServerSeries, serverTables } from '../../src/metrics/servers.ts';
import { parseExposition } from '../support/exposition.ts';
import { labelled, serverOf, snapshotOf, sumsByState, sumsOf, textOf, viewOf } from './hand-made.ts';

const place = ['north', 'a', 'kvm', 'Default', 'shop'];
const byState = sumsByState([[...place, 'running']]);
const serverNames = serverTables.flatMap(({ columns }) => Object.keys(columns));

/** With something to say in each family. */
function servers(count: number) {
  const [expired_at, created_at, updated_at] = Array<string>(3).fill('2030-01-01T00:00:00Z');
  return Array.from({ length: count }, (_, row) =>
    serverOf({ id: `i-${row}`, expired_at, created_at, updated_at }),
  );
}

const onHosts = ['a', 'b'].map((host) => ['north', 'a', host, 'kvm']);
const hosts = {
  all: onHosts.map((labels) => ({ id: labels[2]!, number: 0, labels, isUp: true, capacity: undefined })),
  byState: labelled(
    Object.fromEntries(hostSettings.hostMeasures.map(({ name }) => [name, [1, 1]])),
    onHosts.map((labels) => [...labels, 'running']),
  ),
  devices: labelled(),
};

async function read(page: MetricsPage, snapshot: Snapshot, format: Format = 'text') {
  const pieces: Buffer[] = [];
  for await (const piece of page.write([viewOf(snapshot)], format)) pieces.push(piece);
  return { pieces, text: Buffer.concat(pieces).toString() };
}

describe('the page', () => {
  it('writes each snapshot once, however many ask for it, in whichever format', async () => {
    const page = createMetricsPage({ yieldToEventLoop: () => Promise.resolve() });
    let readings = 0;
    const state = {
      ...byState,
      get labels() {
        readings += 1;
        return byState.labels;
      },
    };
    const snapshot = snapshotOf({ sums: sumsOf({ state }) });
    await textOf([viewOf(snapshot)]);
    const once = readings;
    const answers = [read(page, snapshot), read(page, snapshot, 'openmetrics'), read(page, snapshot)];
    const [one, , other] = await Promise.all(answers);
    await read(page, snapshot);
    expect(readings).toBe(2 * once);
    expect(one?.text).toBe(other?.text);
  });

  it('of a cloud that cannot be written says so, and hides no other cloud', async () => {
    const bugs: string[] = [];
    const page = createMetricsPage({
      yieldToEventLoop: async () => undefined,
      onBug: (cloud) => bugs.push(cloud),
    });
    const broken = {
      ...snapshotOf(),
      get problems(): never {
        throw new TypeError('broken');
      },
    };
    const pieces: Buffer[] = [];
    const views = [viewOf(broken, { cloud: 'two', up: true }), viewOf(snapshotOf(), { up: true })];
    for await (const piece of page.write(views, 'text')) pieces.push(piece);
    const parsed = parseExposition(Buffer.concat(pieces).toString());
    const up = parsed.of('cloud_up').map(({ labels, value }) => [labels['cloud'], value]);
    expect([up, bugs]).toEqual([
      [
        ['two', 0],
        ['one', 1],
      ],
      ['two'],
    ]);
  });

  it('lets others work in between, and comes in few pieces', async () => {
    let turns = 0;
    const yieldToEventLoop = () => {
      turns += 1;
      return new Promise<void>((resolve) => setImmediate(resolve));
    };
    const page = createMetricsPage({ yieldToEventLoop });
    const snapshot = snapshotOf({ servers: servers(20_000), exportsServers: true });
    const { pieces, text } = await read(page, snapshot);
    expect(turns).toBeGreaterThan(pieces.length);
    expect(pieces.length).toBeLessThan(text.length / 60_000);
    const again = turns;
    await read(page, snapshot);
    expect(turns - again).toBeGreaterThanOrEqual(pieces.length - 1);
  });
});

describe('series_limit', () => {
  const fleet = snapshotOf({ sums: sumsOf({ state: byState }) });
  /** The sums, and the counts of problems. */
  const fleetSeries = 5 + 8;

  async function kept(snapshot: Snapshot) {
    const parsed = parseExposition(await textOf([viewOf(snapshot)]));
    const names = [...parsed.families.keys()];
    return {
      parsed,
      dropped: parsed.value('cloud_exporter_series_dropped'),
      ofHosts: names.filter((name) => name.startsWith('cloud_host_')),
      ofServers: names.filter((name) => serverNames.includes(name)),
    };
  }

  it.each([0, 1, 2, 5, 9])('keeps %i families of single servers, each of them whole', async (count) => {
    const seriesLimit = fleetSeries + count * 100 + (count < 9 ? 99 : 0);
    const snapshot = { ...fleet, servers: servers(100), exportsServers: true, seriesLimit };
    const { parsed, ofServers, dropped } = await kept(snapshot);
    expect(ofServers).toEqual(serverNames.slice(0, count));
    for (const name of ofServers) expect(parsed.of(name), name).toHaveLength(100);
    expect(dropped).toBe((9 - count) * 100);
    expect(countServerSeries(snapshot)).toBe(900);
  });

  it('drops hosts after single servers and before the fleet, family by family', async () => {
    const limited = { hosts, servers: servers(1), exportsServers: true, seriesLimit: fleetSeries + 2 * 2 };
    const { parsed, ofHosts, ofServers, dropped } = await kept({ ...fleet, ...limited });
    expect([ofHosts, ofServers]).toEqual([['cloud_host_up', 'cloud_host_servers'], []]);
    expect(parsed.value('cloud_servers_vcpus')).toBe(2);
    expect(dropped).toBe(2 * 2 + 9);
  });

  it('keeps the fleet in any case, and counts the label sets that were merged', async () => {
    const { parsed, dropped } = await kept({ ...fleet, hosts, seriesLimit: 1, mergedSets: 7 });
    expect(parsed.value('cloud_servers_vcpus')).toBe(2);
    expect(dropped).toBe(7 + 4 * 2);
  });

  it('drops nothing where nothing is too much, and has no single servers that only discovery asked for', async () => {
    const { dropped, ofServers } = await kept({ ...fleet, hosts, servers: servers(3) });
    expect([dropped, ofServers]).toEqual([0, []]);
  });
});
