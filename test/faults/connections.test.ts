import { describe, expect, it } from 'vitest';
import { createAuthority, selfSigned, type Authority } from '../support/certificates.ts';
import { failuresOf } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { describeWith } from '../support/real-parts.ts';
import { simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';
import { openDoor } from './door.ts';
import { dayMs, setStage } from './stage.ts';
import { conditions, places, type Outcome } from './table.ts';

/** Tells how many requests the cloud takes to fail so. */
function expectDown(parsed: Parsed, outcome: Outcome): number {
  if (outcome === 'fine') throw new Error('a failure was expected');
  expect([parsed.value('cloud_up'), failuresOf(parsed)]).toEqual([0, { [outcome.reason]: 1 }]);
  return outcome.tries;
}

describe(`a platform that ${conditions.refusing.what}`, () => {
  it.each(places)('at the place "%s" is asked three times and found again', async (place) => {
    const doors: Awaited<ReturnType<typeof openDoor>>[] = [];
    const { clock, cloud, scrape, expectHealed } = await setStage(async ({ port }) => {
      doors.push(await openDoor(port), await openDoor(port));
      const [login, list] = doors.map(({ address }) => `http://${address}`);
      return { details_max_age: 0, auth_url: `${login}/identity`, base_url: `${list}/compute` };
    });
    const before = truthOf(cloud.fleet);
    const known = await scrape();
    cloud.fleet.create(3);
    const door = doors[place === 'login' ? 0 : 1]!;
    if (place === 'middle')
      cloud.hooks.beforePage = async ({ offset }) => {
        if (offset > 0) await door.shut();
      };
    else {
      await clock.advance(dayMs);
      await door.shut();
    }
    const parsed = await scrape();
    const tries = expectDown(parsed, conditions.refusing[place]);
    expectTruth(parsed, before, 'one');
    const operation = place === 'login' ? 'login' : 'list_servers';
    const attempts = (one: Parsed) => one.sum('cloud_exporter_api_requests_total', { operation });
    expect(attempts(parsed) - attempts(known)).toBe(tries + Number(place === 'middle'));
    cloud.hooks.beforePage = undefined;
    await door.open();
    await expectHealed();
  });
});

it(`a platform that ${conditions.idle.what} never has one of ours, and costs no retry`, async () => {
  const { cloud, scrape, expectHealed } = await setStage(() => ({ details_max_age: 0 }));
  await scrape();
  const reset = { kind: 'reset', onlyReused: true } as const;
  const reused = cloud.faults.set({ operation: 'list', page: 0, fault: reset });
  const isLast = (query: URLSearchParams) =>
    query.getAll('filter').every((text) => !text.startsWith('id.le'));
  cloud.faults.set({ operation: 'list', where: isLast, fault: { kind: 'closeIdle' } });
  for (let round = 0; round < 5; round += 1) await expectHealed();
  expect(reused.hits).toBe(0);
  const parsed = await scrape();
  expect([parsed.sum('cloud_exporter_api_retries_total'), failuresOf(parsed)]).toEqual([0, {}]);
});

const certificates = {
  selfSigned: () => selfSigned(),
  expired: (authority: Authority) => authority.issue('expired', { days: -1 }),
  otherName: (authority: Authority) => authority.issue('other-name', { sans: 'DNS:other.example.test' }),
  notTls: async () => undefined,
};
const logged = {
  selfSigned: 'is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
  expired: 'has expired (CERT_HAS_EXPIRED)',
  otherName: 'is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)',
  notTls: 'the other side does not speak TLS; should it be http://?',
};

describeWith(['openssl'], 'a platform that', () => {
  it.each(['selfSigned', 'expired', 'otherName', 'notTls'] as const)(
    'shows the wrong certificate (%s) gets neither password nor token, and is tried once',
    async (kind) => {
      const authority = await createAuthority();
      const tls = await certificates[kind](authority);
      const good = await simulate({ servers: 25, tls: await authority.issue('good') });
      const bad = await simulate({ servers: 25, ...(tls && { tls }) });
      for (const place of ['login', 'first'] as const) {
        // One address behind which the platform stands, with one certificate after the other.
        const door = await openDoor(bad.port);
        const origin = `https://${door.address}`;
        const { exporter, scrape } = await setStage(() => ({
          cacert: authority.certFile,
          auth_url: place === 'login' ? `${origin}/identity` : good.authUrl,
          base_url: `${origin}/compute`,
        }));
        const failed = await scrape();
        const tries = expectDown(failed, conditions[kind][place]);
        expect(failed.sum('cloud_exporter_api_requests_total', { code: 'tls' })).toBe(tries);
        expect(bad.journal.count()).toBe(0);
        expect(exporter.logged()).toContain(logged[kind]);
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
