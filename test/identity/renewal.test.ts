import { describe, expect, it } from 'vitest';
import { maxRenewalWaitMs } from '../../src/identity/token.ts';
import { systemProject } from '../../src/simulator/accounts.ts';
import { takeToken } from '../simulator/raw-request.ts';
import { parseExposition } from '../support/exposition.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const minute = 60_000;

async function setUp() {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 60, now: clock.now, tokenLifetimeSeconds: 600 });
  const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 10 }) }, { clock });
  return { clock, cloud, exporter, scrape: async () => parseExposition(await exporter.text('/metrics')) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a renewal that hangs', () => {
  it('costs one login and a moment, not the collection', async () => {
    const { clock, cloud, scrape, exporter } = await setUp();
    await scrape();
    await clock.advance(9 * minute);
    cloud.journal.clear();
    const hang = cloud.faults.set({ operation: 'login', fault: { kind: 'hang' } });
    const answer = scrape();
    await until(() => hang.hits === 1);
    await clock.advance(maxRenewalWaitMs);
    const parsed = await answer;
    expect(parsed.value('cloud_up'), exporter.logged()).toBe(1);
    expect(parsed.sum('cloud_servers')).toBe(60);
    expect(cloud.journal.count('list')).toBeGreaterThanOrEqual(6);
    expect(hang.hits).toBe(1);
    expect(cloud.journal.usedDeadTokens).toEqual([]);

    // Its own time ends it, and the next collection tries again.
    await clock.advance(30_000);
    cloud.faults.clear();
    expect((await scrape()).value('cloud_exporter_logins_total', { trigger: 'near_expiry' })).toBe(2);
  });
});

describe.each(['cas_ticket', 'token'])('a token that came from %s', (method) => {
  async function setUpOnce() {
    const clock = createManualClock();
    const cloud = await simulate({ servers: 20, now: clock.now, tokenLifetimeSeconds: 3600 });
    const given = method === 'token' ? await takeToken(cloud) : cloud.issueTicket();
    const common = {
      auth_url: cloud.authUrl,
      query: 'scope=system',
      project_name: systemProject.name,
      project_domain_name: systemProject.domain.name,
    };
    const exporter = await runExporter({ one: { ...common, [method]: given } }, { clock });
    const scrape = async () => parseExposition(await exporter.text('/metrics'));
    expect((await scrape()).value('cloud_up'), exporter.logged()).toBe(1);
    cloud.journal.clear();
    return { clock, cloud, exporter, scrape };
  }

  it.each([401, 403])('outlives a passing %i, without a login', async (code) => {
    const { cloud, scrape } = await setUpOnce();
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code } });
    expect((await scrape()).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('login')).toBe(0);
  });

  it('is traded when it is refused twice, and is not lost when the identity service is down then', async () => {
    const { cloud, scrape } = await setUpOnce();
    const down = cloud.faults.set({ operation: 'login', fault: { kind: 'status', code: 404, body: '<p>' } });
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    expect(down.hits).toBeGreaterThanOrEqual(1);
    cloud.faults.clear();
    cloud.journal.clear();
    expect((await scrape()).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('login'), 'the token of before still works').toBe(0);
  });
});
