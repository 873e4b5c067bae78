import { expect, it } from 'vitest';
import { createAuthority, selfSigned, type Certificate } from '../support/certificates.ts';
import { describeWith } from '../support/real-parts.ts';
import { simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { conditions } from './conditions.ts';
import { openDoor } from './door.ts';
import { setStage } from './stage.ts';
import { truthOf } from '../simulator/truth.ts';

type Kind = 'selfSigned' | 'expired' | 'otherName' | 'notTls';

async function badCertificate(kind: Kind, authority: Awaited<ReturnType<typeof createAuthority>>) {
  const wrong: Record<Kind, () => Promise<Certificate | undefined>> = {
    selfSigned: () => selfSigned(),
    expired: () => authority.issue('expired', { days: -1 }),
    otherName: () => authority.issue('other-name', { sans: 'DNS:other.example.test' }),
    notTls: async () => undefined,
  };
  return wrong[kind]();
}

/** One address behind which the platform stands, with one certificate after the other. */
async function setUp(kind: Kind, place: 'login' | 'first') {
  const authority = await createAuthority();
  const certificate = await badCertificate(kind, authority);
  const good = await simulate({ servers: 25, tls: await authority.issue('good') });
  const bad = await simulate({ servers: 25, ...(certificate && { tls: certificate }) });
  const door = await openDoor(bad.port);
  const origin = `https://${door.address}`;
  const stage = await setStage(() => ({
    cacert: authority.certFile,
    auth_url: place === 'login' ? `${origin}/identity` : good.authUrl,
    base_url: `${origin}/compute`,
  }));
  return { stage, door, good, bad };
}

describeWith(['openssl'], 'a platform that', () => {
  const kinds: readonly Kind[] = ['selfSigned', 'expired', 'otherName', 'notTls'];
  it.each(kinds.flatMap((kind) => (['login', 'first'] as const).map((place) => ({ kind, place }))))(
    'shows the wrong certificate ($kind) at the place "$place" gets neither password nor token, and is tried once',
    async ({ kind, place }) => {
      const { stage, door, good, bad } = await setUp(kind, place);
      const outcome = conditions[kind][place];
      if (outcome === 'fine') throw new Error('a failure was expected');
      const failed = await stage.scrape();
      expect(failed.value('cloud_up')).toBe(0);
      expect(failed.value('cloud_exporter_collection_failures_total', { reason: outcome.reason })).toBe(1);
      expect(failed.sum('cloud_exporter_api_requests_total', { code: 'tls' })).toBe(outcome.tries);
      expect(bad.journal.count()).toBe(0);

      door.leadTo(good.port);
      const healed = await stage.scrape();
      expect(healed.value('cloud_up')).toBe(1);
      expectTruth(healed, truthOf(good.fleet), 'one');
    },
  );

  it('shows a certificate of a CA that the system does not know is trusted only with `cacert`', async () => {
    const authority = await createAuthority();
    const cloud = await simulate({ servers: 25, tls: await authority.issue('good') });
    const stage = await setStage(() => ({ auth_url: cloud.authUrl }));
    const failed = await stage.scrape();
    expect(failed.value('cloud_exporter_collection_failures_total', { reason: 'tls' })).toBe(1);
    expect(cloud.journal.count()).toBe(0);
  });
});
