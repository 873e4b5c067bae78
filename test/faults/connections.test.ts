import { describe, expect, it } from 'vitest';
import { createAuthority, selfSigned, type Authority, type Certificate } from '../support/certificates.ts';
import { failuresOf } from '../support/exported-cloud.ts';
import { describeWith } from '../support/real-parts.ts';
import { simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';
import { openDoor } from './door.ts';
import type { Outcome } from './outcome.ts';
import { dayMs, setStage } from './stage.ts';
import { conditions } from './table.ts';

function failureOf(outcome: Outcome) {
  if (outcome === 'fine') throw new Error('a failure was expected');
  return outcome;
}

describe(`a platform that ${conditions.refusing.what}`, () => {
  it.each(['login', 'first', 'middle'] as const)(
    'at the place "%s" is asked three times and found again',
    async (place) => {
      const doors: Awaited<ReturnType<typeof openDoor>>[] = [];
      const { clock, cloud, scrape, expectFine } = await setStage(async ({ port }) => {
        doors.push(await openDoor(port), await openDoor(port));
        const [login, list] = doors.map(({ address }) => `http://${address}`);
        return { details_max_age: 0, auth_url: `${login}/identity`, base_url: `${list}/compute` };
      });
      const before = truthOf(cloud.fleet);
      const known = await scrape();
      cloud.fleet.create(3);
      if (place !== 'middle') await clock.advance(dayMs);
      const door = doors[place === 'login' ? 0 : 1]!;
      if (place === 'middle')
        cloud.hooks.beforePage = async ({ offset }) => {
          if (offset > 0) await door.shut();
        };
      else await door.shut();
      const parsed = await scrape();
      const { reason, tries } = failureOf(conditions.refusing[place]);
      expect([parsed.value('cloud_up'), failuresOf(parsed)]).toEqual([0, { [reason]: 1 }]);
      expectTruth(parsed, before, 'one');
      const operation = place === 'login' ? 'login' : 'list_servers';
      const attempts = (one: typeof parsed) => one.sum('cloud_exporter_api_requests_total', { operation });
      expect(attempts(parsed) - attempts(known)).toBe(tries + Number(place === 'middle'));
      cloud.hooks.beforePage = undefined;
      await door.open();
      await expectFine();
    },
  );
});

it(`a platform that ${conditions.idle.what} never has one of ours, and costs no retry`, async () => {
  const { cloud, scrape, expectFine } = await setStage(() => ({ details_max_age: 0 }));
  await scrape();
  const reset = { kind: 'reset', onlyReused: true } as const;
  const reused = cloud.faults.set({ operation: 'list', page: 0, fault: reset });
  const isLast = (query: URLSearchParams) =>
    query.getAll('filter').every((text) => !text.startsWith('id.le'));
  cloud.faults.set({ operation: 'list', where: isLast, fault: { kind: 'closeIdle', afterMs: 0 } });
  for (let round = 0; round < 5; round += 1) await expectFine();
  expect(reused.hits).toBe(0);
  const parsed = await scrape();
  expect([parsed.sum('cloud_exporter_api_retries_total'), failuresOf(parsed)]).toEqual([0, {}]);
});

const certificates = {
  selfSigned: () => selfSigned(),
  expired: (authority: Authority) => authority.issue('expired', { days: -1 }),
  otherName: (authority: Authority) => authority.issue('other-name', { sans: 'DNS:other.example.test' }),
  notTls: async (): Promise<Certificate | undefined> => undefined,
};
const kinds = Object.keys(certificates) as (keyof typeof certificates)[];

describeWith(['openssl'], 'a platform that', () => {
  it.each(kinds)(
    'shows the wrong certificate (%s) gets neither password nor token, and is tried once',
    async (kind) => {
      const authority = await createAuthority();
      const certificate = await certificates[kind](authority);
      const good = await simulate({ servers: 25, tls: await authority.issue('good') });
      const bad = await simulate({ servers: 25, ...(certificate && { tls: certificate }) });
      for (const place of ['login', 'first'] as const) {
        // One address behind which the platform stands, with one certificate after the other.
        const door = await openDoor(bad.port);
        const origin = `https://${door.address}`;
        const { scrape } = await setStage(() => ({
          cacert: authority.certFile,
          auth_url: place === 'login' ? `${origin}/identity` : good.authUrl,
          base_url: `${origin}/compute`,
        }));
        const { reason, tries } = failureOf(conditions[kind][place]);
        const failed = await scrape();
        expect([failed.value('cloud_up'), failuresOf(failed)], place).toEqual([0, { [reason]: 1 }]);
        expect(failed.sum('cloud_exporter_api_requests_total', { code: 'tls' })).toBe(tries);
        expect(bad.journal.count()).toBe(0);
        door.leadTo(good.port);
        const healed = await scrape();
        expect(healed.value('cloud_up')).toBe(1);
        expectTruth(healed, truthOf(good.fleet), 'one');
      }
      // The right one, too, is trusted only with `cacert`.
      const asked = good.journal.count();
      const { scrape } = await setStage(() => ({ auth_url: good.authUrl }));
      expect(failuresOf(await scrape())).toEqual({ tls: 1 });
      expect(good.journal.count()).toBe(asked);
    },
  );
});
