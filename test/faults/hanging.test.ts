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

/** A cloud whose password is read from a mount that is dead until the gate opens, beside one that is well. */
async function setUp() {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 10, now: clock.now });
  const mount = createGate();
  const asked = createGate();
  let reads = 0;
  const onDeadMount = (config: CloudConfig): CloudConfig => {
    const { credential } = config;
    if (config.name !== 'one' || credential.method !== 'password') return config;
    const password = async () => {
      reads += 1;
      asked.open();
      await mount.passed;
      return credential.password();
    };
    return { ...config, credential: { ...credential, password } };
  };
  const settings = settingsFor(cloud, { collection_timeout: '60s' });
  const two = { ...settings, max_age: '1h' };
  const exporter = await runExporter({ one: settings, two }, { clock, alter: onDeadMount });
  await exporter.text('/probe?cloud=two');
  const deadlineMs = 60_000 + graceMs;
  let collections = clock.waits.filter((ms) => ms === deadlineMs).length;
  /** A scrape whose collection is given all its time. */
  async function scrapeToTheEnd() {
    const answer = exporter.text('/metrics', patient);
    collections += 1;
    while (clock.waits.filter((ms) => ms === deadlineMs).length < collections)
      await new Promise((resolve) => setImmediate(resolve));
    await asked.passed;
    await clock.advance(deadlineMs);
    return parseExposition(await answer);
  }
  return { exporter, scrapeToTheEnd, mount, reads: () => reads };
}

describe('a secret file that hangs', () => {
  it('fails its collection at the deadline, and no other cloud', async () => {
    const { exporter, scrapeToTheEnd } = await setUp();
    const parsed = await scrapeToTheEnd();
    expect(parsed.value('cloud_up', { cloud: 'one' })).toBe(0);
    expect(parsed.value(...failed('timeout'))).toBe(1);
    expect([parsed.value('cloud_up', { cloud: 'two' }), parsed.sum('cloud_servers')]).toEqual([1, 10]);
    expect(exporter.logged()).toContain('login did not end within the 60 s of collection_timeout');
  });

  it('is read by one login, however many collections wait for it, and all is well when it is back', async () => {
    const { exporter, scrapeToTheEnd, mount, reads } = await setUp();
    for (let round = 1; round <= 3; round += 1)
      expect((await scrapeToTheEnd()).value(...failed('timeout'))).toBe(round);
    expect(reads()).toBe(1);
    mount.open();
    await new Promise((resolve) => setImmediate(resolve));
    const parsed = parseExposition(await exporter.text('/metrics', patient));
    expect(parsed.value('cloud_up', { cloud: 'one' })).toBe(1);
  });
});
