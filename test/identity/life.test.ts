import { describe, expect, it } from 'vitest';
import { createManualClock } from '../support/manual-clock.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const minute = 60_000;

/** Exporter and platform share a clock that the test moves. */
async function setUp(plan: Parameters<typeof simulate>[0] = {}) {
  const clock = createManualClock();
  const cloud = await simulate({ servers: 10, now: clock.now, ...plan });
  const exporter = await runExporter({ one: settingsFor(cloud) }, { clock });
  return { clock, cloud, scrape: async () => parseExposition(await exporter.text('/metrics')), exporter };
}

describe('the token', () => {
  it('is renewed when a fifth of a short life remains, and never used dead', async () => {
    const { clock, cloud, scrape } = await setUp({ tokenLifetimeSeconds: 600 });
    for (let passed = 0; passed < 40; passed += 1) {
      expect((await scrape()).value('cloud_up')).toBe(1);
      await clock.advance(minute);
    }
    expect(cloud.journal.usedDeadTokens).toEqual([]);
    expect(cloud.journal.count('login')).toBe(5);
  });

  it('is renewed five minutes before the end of a long life; its end and that of the password are told', async () => {
    const passwordExpiresAt = Date.parse('2026-12-24T00:00:00Z');
    const { clock, cloud, scrape } = await setUp({ tokenLifetimeSeconds: 86_400, passwordExpiresAt });
    await scrape();
    await clock.advance(86_400_000 - 5 * minute - 1000);
    await scrape();
    expect(cloud.journal.count('login')).toBe(1);
    await clock.advance(2000);
    const parsed = await scrape();
    expect(cloud.journal.count('login')).toBe(2);
    expect(parsed.value('cloud_exporter_logins_total', { trigger: 'near_expiry' })).toBe(1);
    expect(parsed.value('cloud_token_expiry_timestamp_seconds')).toBe((clock.now() + 86_400_000) / 1000);
    expect(parsed.value('cloud_password_expiry_timestamp_seconds')).toBe(passwordExpiresAt / 1000);
  });

  it('with an end beyond all dates, or with a blank behind an address, is used scrape after scrape', async () => {
    const { cloud, scrape, exporter } = await setUp();
    cloud.faults.set({ operation: 'login', fault: { kind: 'clockSkew', byMs: -3_600_000 } });
    cloud.quirks.rewriteToken = (body) => {
      const text = JSON.stringify(body)
        .replace(/"expires_at":"[^"]*"/, '"expires_at":"+275760-09-13T00:00:00Z"')
        .replaceAll(`"${cloud.baseUrl}"`, `" ${cloud.baseUrl} "`);
      expect(text).toContain('+275760');
      expect(text).toContain(`${cloud.baseUrl} "`);
      return JSON.parse(text) as object;
    };
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(`${exporter.url}/metrics`);
      expect(answer.status).toBe(200);
      expect((await scrape()).value('cloud_up'), exporter.logged()).toBe(1);
    }
  });
});
