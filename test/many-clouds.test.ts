import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../src/clock.ts';
import { createFleet } from '../src/simulator/fleet/fleet.ts';
import { parseExposition, type Parsed } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { freePort, ownAddress } from './support/loopback.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate } from './support/simulated.ts';
import { expectTruth } from './support/truth.ts';
import { truthOf } from './simulator/truth.ts';

type Cloud = Awaited<ReturnType<typeof simulate>>;
type Clouds = ReadonlyMap<string, Cloud>;

/** How seven of the twenty are broken; the reason is what the exporter must say, unless the cloud just hangs. */
const troubles: Record<string, { reason?: string; breakIt(cloud: Cloud): unknown }> = {
  'refuses connections': {
    reason: 'network',
    breakIt: async () => ({ auth_url: `http://${ownAddress}:${await freePort()}/identity` }),
  },
  'hangs at the login': {
    breakIt: ({ faults }) => void faults.set({ operation: 'login', fault: { kind: 'hang' } }),
  },
  'has another password': { reason: 'unauthorized', breakIt: () => ({ password: 'out-of-date' }) },
  'answers 500': {
    reason: 'upstream',
    breakIt: ({ faults }) => void faults.set({ operation: 'list', fault: { kind: 'status', code: 500 } }),
  },
  'answers garbage': {
    reason: 'malformed',
    breakIt: ({ faults }) => void faults.set({ operation: 'list', fault: { kind: 'garbage', megabytes: 1 } }),
  },
  'hangs in the middle of a page': {
    breakIt: ({ faults }) =>
      void faults.set({ operation: 'list', page: 1, fault: { kind: 'hangInBody', afterBytes: 1000 } }),
  },
  'sends the first page over and over': {
    reason: 'truncated',
    breakIt({ quirks }) {
      const parameters = { scope: 'system', pending_delete: 'all', limit: '15' };
      quirks.takeParameters = () => new URLSearchParams(parameters);
      quirks.ignoreOffset = true;
    },
  },
};

const healthy = Array.from({ length: 13 }, (_, index) => `healthy ${index + 1}`);
const hanging = Object.keys(troubles).filter((name) => troubles[name]!.reason === undefined);
const failing = Object.keys(troubles).filter((name) => troubles[name]!.reason !== undefined);

/** Twenty clouds of different sizes in one exporter, a third of them broken. */
async function startTwenty(clock: Clock) {
  const clouds = new Map<string, Cloud>();
  const settings: Record<string, object> = {};
  for (const [index, name] of [...healthy, ...Object.keys(troubles)].entries()) {
    const fleet = createFleet({ servers: 40 + index, seed: index });
    const cloud = await simulate({ fleet, dialect: index % 2 === 0 ? 'document' : 'platform' });
    const broken = (await troubles[name]?.breakIt(cloud)) as object | undefined;
    settings[name] = settingsFor(cloud, { page_size: 15, ...broken });
    clouds.set(name, cloud);
  }
  return { clouds, exporter: await runExporter(settings, { clock }) };
}

/**
 * Short waits, those before a retry, end at once; long ones end when the test says so: the patience of a scrape,
 * and the time that a request is given. So whatever depends on a cloud that hangs would hang, too.
 */
function createHeldClock() {
  const longWaits: { ms: number; end: () => void }[] = [];
  const watchers: { ms: number; seen: () => void }[] = [];
  const clock: Clock = {
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    wait(ms, signal) {
      if (ms < 1000) return Promise.resolve();
      return new Promise((resolve, reject) => {
        longWaits.push({ ms, end: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        for (const watcher of watchers) if (watcher.ms === ms) watcher.seen();
      });
    },
  };
  return {
    clock,
    /** Resolves when somebody begins to wait so long. */
    waitingFor(ms: number): Promise<void> {
      const { passed, open } = createGate();
      watchers.push({ ms, seen: open });
      return passed;
    },
    end(ms: number): void {
      for (const wait of longWaits) if (wait.ms === ms) wait.end();
    },
  };
}

function expectCloud(parsed: Parsed, clouds: Clouds, name: string): void {
  const cloud = clouds.get(name)!;
  expect(parsed.value('cloud_up', { cloud: name }), name).toBe(1);
  expectTruth(parsed, truthOf(cloud.fleet), name);
}

/** Of a cloud that never was collected there is its state and nothing about servers. */
function expectNothing(parsed: Parsed, name: string): void {
  expect(parsed.value('cloud_up', { cloud: name }), name).toBe(0);
  const about = parsed.samples.filter(({ labels }) => labels['cloud'] === name).map((sample) => sample.name);
  expect(about.filter((family) => /^cloud_(server|list|snapshot).*(?<!_total)$/.test(family))).toEqual([]);
}

/** What is told of one cloud, but for the times and for the exporter's own counters. */
function of(parsed: Parsed, cloud: string) {
  const changing = /^cloud_(exporter_|collection_duration|snapshot_time|last_success|list_|details_time)/;
  return parsed.samples.filter(({ name, labels }) => labels['cloud'] === cloud && !changing.test(name));
}

describe('twenty clouds, of which seven are broken', () => {
  it('each answer their own probe, with a token of their own, whatever the others do', async () => {
    const { clock, end } = createHeldClock();
    const { clouds, exporter } = await startTwenty(clock);
    const probe = (name: string) => exporter.text(`/probe?cloud=${encodeURIComponent(name)}`);
    const hung = hanging.map(probe);
    for (const name of healthy) {
      const parsed = parseExposition(await probe(name));
      expectCloud(parsed, clouds, name);
      expect(new Set(parsed.samples.map(({ labels }) => labels['cloud']))).toEqual(new Set([name]));
    }
    const tokens = healthy.map((name) => {
      const { journal, latestToken } = clouds.get(name)!;
      expect(journal.count('login')).toBe(1);
      expect(new Set(journal.of('list').map(({ tokenSent }) => tokenSent))).toEqual(new Set([latestToken]));
      return latestToken;
    });
    expect(new Set(tokens).size).toBe(healthy.length);
    for (const name of failing) expectNothing(parseExposition(await probe(name)), name);
    const undecided = Symbol('undecided');
    expect(await Promise.race([...hung, Promise.resolve(undecided)])).toBe(undecided);
    end(30_000);
    for (const [index, text] of (await Promise.all(hung)).entries())
      expectNothing(parseExposition(text), hanging[index]!);
  });

  it('are on /metrics when patience ends: exact sums of the healthy ones, the reason of each other', async () => {
    const { clock, waitingFor, end } = createHeldClock();
    const { clouds, exporter } = await startTwenty(clock);
    const scrape = async () => {
      const isWaiting = waitingFor(9500);
      const answer = exporter.text('/metrics', { 'X-Prometheus-Scrape-Timeout-Seconds': '10' });
      await isWaiting;
      // A probe of each cloud that comes to an end joins the collection that the scrape has started.
      for (const name of [...healthy, ...failing])
        await exporter.text(`/probe?cloud=${encodeURIComponent(name)}`);
      end(9500);
      return parseExposition(await answer);
    };
    const parsed = await scrape();
    for (const name of healthy) expectCloud(parsed, clouds, name);
    for (const name of Object.keys(troubles)) expectNothing(parsed, name);
    for (const name of failing) {
      const reason = troubles[name]!.reason!;
      const failures = parsed.of('cloud_exporter_collection_failures_total');
      const counted = failures.filter(({ labels, value }) => labels['cloud'] === name && value > 0);
      expect(
        counted.map(({ labels }) => labels['reason']),
        name,
      ).toEqual([reason]);
    }
    for (const name of healthy)
      expect(parsed.sum('cloud_exporter_collection_failures_total', { cloud: name })).toBe(0);
  });

  it('come and go one by one: what breaks or recovers touches no series of another', async () => {
    const clouds = { a: await simulate({ servers: 30 }), b: await simulate({ servers: 40 }) };
    const exporter = await runExporter({ a: settingsFor(clouds.a), b: settingsFor(clouds.b) });
    const scrape = async () => parseExposition(await exporter.text('/metrics'));
    const before = await scrape();
    const fault = clouds.b.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    const during = await scrape();
    expect(during.value('cloud_up', { cloud: 'b' })).toBe(0);
    expect(of(during, 'a')).toEqual(of(before, 'a'));
    const servers = (parsed: Parsed) => of(parsed, 'b').filter(({ name }) => name !== 'cloud_up');
    expect(servers(during)).toEqual(servers(before));
    fault.clear();
    expect(of(await scrape(), 'b')).toEqual(of(before, 'b'));
  });
});
