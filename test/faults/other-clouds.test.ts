import { expect, it } from 'vitest';
import { graceMs } from '../../src/transport/in-time.ts';
import { parseExposition } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { patient } from './stage.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a secret file that hangs fails its own cloud only at the deadline, is read by one login, and comes back', async () => {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 10, now: clock.now });
  const one = settingsFor(cloud, { collection_timeout: '60s' });
  // The password of the first is on a mount that is dead until the gate opens.
  const [mount, asked] = [createGate(), createGate()];
  let reads = 0;
  const exporter = await runExporter(
    { one, two: { ...one, max_age: '1h' } },
    {
      clock,
      alter(config) {
        const { credential } = config;
        if (config.name !== 'one' || credential.method !== 'password') return config;
        const password = async () => {
          reads += 1;
          asked.open();
          await mount.passed;
          return credential.password();
        };
        return { ...config, credential: { ...credential, password } };
      },
    },
  );
  const scrape = async () => parseExposition(await exporter.text('/metrics', patient));
  await exporter.text('/probe?cloud=two');
  const deadlineMs = 60_000 + graceMs;
  const collections = () => clock.waits.filter((ms) => ms === deadlineMs).length;
  for (let round = 1; round <= 3; round += 1) {
    const before = collections();
    const answer = scrape();
    while (collections() === before) await turn();
    await asked.passed;
    await clock.advance(deadlineMs);
    const parsed = await answer;
    const failed = parsed.value('cloud_exporter_collection_failures_total', {
      cloud: 'one',
      reason: 'timeout',
    });
    expect([parsed.value('cloud_up', { cloud: 'one' }), failed]).toEqual([0, round]);
    expect([parsed.value('cloud_up', { cloud: 'two' }), parsed.sum('cloud_servers')]).toEqual([1, 10]);
  }
  expect(exporter.logged()).toContain('login did not end within the 60 s of collection_timeout');
  expect(reads).toBe(1);
  mount.open();
  await turn();
  expect((await scrape()).value('cloud_up', { cloud: 'one' })).toBe(1);
});
