import { describe, expect, it } from 'vitest';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** The platform refuses every list in these words, which quote the token as the real one may. */
async function refuseWith(words: string) {
  const exported = await exportCloud({ servers: 10, clock: createManualClock() });
  const { cloud, scrape } = exported;
  await scrape();
  cloud.journal.clear();
  const details = `token ${cloud.latestToken}: not enough privilege to do compute:servers:list ${words}`;
  const body = { class: 'ForbiddenError', code: 403, details };
  const rule = cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403, body } });
  return { ...exported, rule };
}

describe('a list that is refused', () => {
  it.each(['domain', 'project'])(
    'because only scope=%s is allowed costs no login, and says so',
    async (allow) => {
      const { cloud, exporter, scrape, rule } = await refuseWith(
        `(require:system,allow:${allow},query:system)`,
      );
      expect(failuresOf(await scrape())).toEqual({ forbidden: 1 });
      expect([cloud.journal.count('login'), rule.hits]).toEqual([0, 1]);
      expect(exporter.logged()).toContain(
        `the account may see scope=${allow} at most; set query to scope=${allow}`,
      );
      expect(exporter.logged()).not.toContain(cloud.latestToken);
      cloud.faults.clear();
      expect((await scrape()).value('cloud_up')).toBe(1);
      expect(cloud.journal.count('login'), 'the token is kept').toBe(0);
    },
  );

  it('because the token or the account has no rights at all is tried with one new login', async () => {
    const { clock, cloud, exporter, scrape, rule } = await refuseWith(
      '(require:system,allow:none,query:system)',
    );
    expect(failuresOf(await scrape())).toEqual({ forbidden: 1 });
    expect([cloud.journal.count('login'), rule.hits]).toEqual([1, 2]);
    expect(exporter.logged()).not.toContain(cloud.latestToken);
    // A login that did not help is not repeated at every scrape.
    await scrape();
    await clock.advance(15_000);
    await scrape();
    expect(cloud.journal.count('login')).toBe(2);
  });
});
