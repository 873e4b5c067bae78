import { describe, expect, it } from 'vitest';
import type { CloudConfig } from '../../src/config/load.ts';
import { graceMs } from '../../src/transport/in-time.ts';
import { parseExposition } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { patient } from './stage.ts';

const failed = (reason: string) =>
  ['cloud_exporter_collection_failures_total', { cloud: 'one', reason }] as const;

/** Two clouds, of which the first is altered to what no file could say. */
async function setUp(alterFirst: (config: CloudConfig) => CloudConfig) {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 10, now: clock.now });
  const one = settingsFor(cloud, { collection_timeout: '60s' });
  const alter = (config: CloudConfig) => (config.name === 'one' ? alterFirst(config) : config);
  const exporter = await runExporter({ one, two: { ...one, max_age: '1h' } }, { clock, alter });
  const scrape = async () => parseExposition(await exporter.text('/metrics', patient));
  return { clock, exporter, scrape };
}

/** A cloud whose password is read from a mount that is dead until the gate opens. */
async function setUpDeadMount() {
  const [mount, asked] = [createGate(), createGate()];
  let reads = 0;
  const { clock, exporter, scrape } = await setUp((config) => {
    const { credential } = config;
    if (credential.method !== 'password') return config;
    const password = async () => {
      reads += 1;
      asked.open();
      await mount.passed;
      return credential.password();
    };
    return { ...config, credential: { ...credential, password } };
  });
  await exporter.text('/probe?cloud=two');
  const deadlineMs = 60_000 + graceMs;
  const collections = () => clock.waits.filter((ms) => ms === deadlineMs).length;
  /** A scrape whose collection is given all its time. */
  async function scrapeToTheEnd() {
    const before = collections();
    const answer = scrape();
    while (collections() === before) await new Promise((resolve) => setImmediate(resolve));
    await asked.passed;
    await clock.advance(deadlineMs);
    return answer;
  }
  return { exporter, scrape, scrapeToTheEnd, mount, reads: () => reads };
}

describe('the trouble of one cloud is no trouble of another:', () => {
  it('a secret file that hangs fails its collections at the deadline, is read by one login, and comes back', async () => {
    const { exporter, scrape, scrapeToTheEnd, mount, reads } = await setUpDeadMount();
    for (let round = 1; round <= 3; round += 1) {
      const parsed = await scrapeToTheEnd();
      expect([parsed.value('cloud_up', { cloud: 'one' }), parsed.value(...failed('timeout'))]).toEqual([
        0,
        round,
      ]);
      expect([parsed.value('cloud_up', { cloud: 'two' }), parsed.sum('cloud_servers')]).toEqual([1, 10]);
    }
    expect(exporter.logged()).toContain('login did not end within the 60 s of collection_timeout');
    expect(reads()).toBe(1);
    mount.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await scrape()).value('cloud_up', { cloud: 'one' })).toBe(1);
  });

  it('a mistake of ours is told as `bug`, and logged once with its stack', async () => {
    // JSON has no words for it, so the login throws what is not a failure of anything.
    const mistaken = { project: { name: 1n } } as unknown as CloudConfig['scope'];
    const { exporter, scrape } = await setUp((config) => ({ ...config, scope: mistaken }));
    for (let round = 1; round <= 3; round += 1) {
      const parsed = await scrape();
      expect([parsed.value('cloud_up', { cloud: 'one' }), parsed.value(...failed('bug'))]).toEqual([
        0,
        round,
      ]);
      expect([parsed.value('cloud_up', { cloud: 'two' }), parsed.sum('cloud_servers')]).toEqual([1, 10]);
    }
    expect(exporter.logged().match(/"msg":"a bug broke the collection"/g)).toHaveLength(1);
    expect(exporter.logged()).toMatch(/"stack":"TypeError: [^"]*BigInt[^"]*\\n +at /);
  });
});
