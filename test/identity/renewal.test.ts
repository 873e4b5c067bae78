import { expect, it } from 'vitest';
import { takeToken } from '../simulator/raw-request.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { createShortPauses } from '../support/manual-clock.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The platform has a clock that nobody sets; only ours is. */
function setUp(plan: Omit<Parameters<typeof exportCloud>[0] & object, 'clock'>) {
  const clock = createShortPauses();
  const start = { wall: clock.now(), passed: clock.monotonic() };
  const now = () => start.wall + clock.monotonic() - start.passed;
  return exportCloud({ servers: 20, now, clock, ...plan });
}

it.each([
  [0, 3],
  [-48 * hour, 3],
  [-hour, 3],
  // One more where the clock went on so far that the token seemed to near its end.
  [hour, 4],
  [48 * hour, 4],
])('a clock that is set by %i ms neither prolongs a token nor breaks one', async (byMs, logins) => {
  const { clock, cloud, scrape } = await setUp({ tokenLifetimeSeconds: 3600 });
  await scrape();
  clock.stepWall(byMs);
  for (let passed = 0; passed < 130; passed += 5) {
    expect((await scrape()).value('cloud_up')).toBe(1);
    await clock.advance(5 * minute);
  }
  expect([cloud.journal.usedDeadTokens, cloud.journal.count('login')]).toEqual([[], logins]);
});

it('a token is renewed five minutes before the end of a long life; its end and that of the password are told', async () => {
  const passwordExpiresAt = Date.parse('2026-12-24T00:00:00Z');
  const { clock, cloud, scrape } = await setUp({ tokenLifetimeSeconds: 86_400, passwordExpiresAt });
  await scrape();
  await clock.advance(24 * hour - 5 * minute - 1000);
  await scrape();
  expect(cloud.journal.count('login')).toBe(1);
  await clock.advance(2000);
  const parsed = await scrape();
  expect(parsed.value('cloud_exporter_logins_total', { trigger: 'near_expiry' })).toBe(1);
  expect(parsed.value('cloud_token_expiry_timestamp_seconds')).toBe((clock.now() + 24 * hour) / 1000);
  expect(parsed.value('cloud_password_expiry_timestamp_seconds')).toBe(passwordExpiresAt / 1000);
});

it.each(['cas_ticket', 'token'])(
  'what came from %s outlives a passing refusal, without a login',
  async (method) => {
    const noUser = { username: undefined, password: undefined, user_domain_name: undefined };
    const { cloud, scrape } = await setUp({
      settings: async (platform) => ({
        ...noUser,
        [method]: method === 'token' ? await takeToken(platform) : platform.issueTicket(),
      }),
    });
    await scrape();
    cloud.journal.clear();
    for (const code of [401, 403]) {
      cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code } });
      expect((await scrape()).value('cloud_up')).toBe(1);
    }
    expect(cloud.journal.count('login')).toBe(0);
  },
);
