import { expect, it } from 'vitest';
import { createFleet } from '../src/simulator/fleet/fleet.ts';
import { parseExposition, type Parsed } from './support/exposition.ts';
import { createEagerClock } from './support/manual-clock.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate } from './support/simulated.ts';
import { expectTruth } from './support/truth.ts';
import { eventually } from './simulator/raw-request.ts';
import { truthOf } from './simulator/truth.ts';

type Cloud = Awaited<ReturnType<typeof simulate>>;

interface Trouble {
  /** What the exporter must say, unless the cloud just hangs. */
  readonly reason?: string;
  readonly rule?: Parameters<Cloud['faults']['set']>[0];
  readonly settings?: object;
}

const hangInBody = { kind: 'hangInBody', afterBytes: 1000 } as const;
const troubles: Readonly<Record<string, Trouble>> = {
  'hangs at the login': { rule: { operation: 'login', fault: { kind: 'hang' } } },
  'hangs in the middle of a page': { rule: { operation: 'list', page: 1, fault: hangInBody } },
  'refuses connections': { reason: 'network', settings: { auth_url: 'http://127.0.0.1:9/identity' } },
  'has another password': { reason: 'unauthorized', settings: { password: 'out-of-date' } },
  'answers 500': { reason: 'upstream', rule: { operation: 'list', fault: { kind: 'status', code: 500 } } },
};

const healthy = Array.from({ length: 10 }, (_, index) => `healthy ${index + 1}`);
const hanging = Object.keys(troubles).filter((name) => troubles[name]!.reason === undefined);
const failing = Object.keys(troubles).filter((name) => troubles[name]!.reason !== undefined);

/** Fifteen clouds of different sizes in one exporter, a third of them broken. Only pauses before a retry end. */
async function startFifteen() {
  const clouds = new Map<string, Cloud>();
  const settings: Record<string, object> = {};
  for (const [index, name] of [...healthy, ...Object.keys(troubles)].entries()) {
    const fleet = createFleet({ servers: 40 + index, seed: index });
    const cloud = await simulate({ fleet, dialect: index % 2 === 0 ? 'document' : 'platform' });
    const { rule, settings: broken } = troubles[name] ?? {};
    if (rule) cloud.faults.set(rule);
    settings[name] = settingsFor(cloud, { page_size: 15, ...broken });
    clouds.set(name, cloud);
  }
  return { clouds, exporter: await runExporter(settings, { clock: createEagerClock((ms) => ms <= 1000) }) };
}

/** Of a cloud that never was collected there is its state and nothing about servers. */
function expectNothing(parsed: Parsed, name: string): void {
  expect(parsed.value('cloud_up', { cloud: name }), name).toBe(0);
  const about = parsed.samples.filter(({ labels }) => labels['cloud'] === name).map((sample) => sample.name);
  expect(about.filter((family) => /^cloud_(server|list|snapshot).*(?<!_total)$/.test(family))).toEqual([]);
}

it('fifteen clouds, of which five are broken, each answer for themselves, whatever the others do', async () => {
  const { clouds, exporter } = await startFifteen();
  function expectCloud(parsed: Parsed, name: string): void {
    expect(parsed.value('cloud_up', { cloud: name }), name).toBe(1);
    expectTruth(parsed, truthOf(clouds.get(name)!.fleet), name);
  }
  const probe = (name: string) => exporter.text(`/probe?cloud=${encodeURIComponent(name)}`);
  const hung = Promise.race(hanging.map((name) => probe(name).catch(() => 'cut off at the end')));
  const tokens = new Set<string | undefined>();
  for (const name of healthy) {
    const parsed = parseExposition(await probe(name));
    expectCloud(parsed, name);
    expect(new Set(parsed.samples.map(({ labels }) => labels['cloud']))).toEqual(new Set([name]));
    const { journal, latestToken } = clouds.get(name)!;
    expect(journal.count('login')).toBe(1);
    expect(new Set(journal.of('list').map(({ tokenSent }) => tokenSent))).toEqual(new Set([latestToken]));
    tokens.add(latestToken);
  }
  expect(tokens.size).toBe(healthy.length);
  for (const name of failing) expectNothing(parseExposition(await probe(name)), name);
  expect(await Promise.race([hung, Promise.resolve('undecided')])).toBe('undecided');

  // Of one who cannot wait at all.
  const hurry = { 'X-Prometheus-Scrape-Timeout-Seconds': '0.5' };
  const parsed = parseExposition(await exporter.text('/metrics', hurry));
  for (const name of healthy) expectCloud(parsed, name);
  for (const name of Object.keys(troubles)) expectNothing(parsed, name);
  const failures = parsed.of('cloud_exporter_collection_failures_total').filter(({ value }) => value > 0);
  expect(Object.fromEntries(failures.map(({ labels }) => [labels['cloud'], labels['reason']]))).toEqual(
    Object.fromEntries(failing.map((name) => [name, troubles[name]!.reason])),
  );
});

it('clouds that hang starve nobody, however few answers may be written at once', async () => {
  const [hung, good] = [await simulate({ servers: 5 }), await simulate({ servers: 6 })];
  hung.faults.set({ operation: 'list', fault: { kind: 'hang' } });
  const clouds = { hung: settingsFor(hung), good: settingsFor(good) };
  const exporter = await runExporter(clouds, { maxRequests: 1 });
  const waiting = Array.from({ length: 45 }, () => exporter.text('/probe?cloud=hung').catch(() => ''));
  await eventually(() => hung.journal.count('list') > 0);
  const parsed = parseExposition(await exporter.text('/probe?cloud=good'));
  expect(parsed.sum('cloud_servers')).toBe(6);
  await exporter.stop();
  await Promise.all(waiting);
});
