import type { SecureVersion } from 'node:tls';
import { expect, it } from 'vitest';
import { toldOf } from './config/told.ts';
import { createAuthority, selfSigned } from './support/certificates.ts';
import { parseExposition } from './support/exposition.ts';
import { describeWith } from './support/real-parts.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate, type RunningExporter } from './support/simulated.ts';

async function outcomeOf(exporter: RunningExporter) {
  const parsed = parseExposition(await exporter.text('/metrics'));
  return [parsed.value('cloud_up'), parsed.sum('cloud_servers')];
}

describeWith(['openssl'], 'a platform that wants a client certificate', () => {
  it.each<[maxVersion: SecureVersion, words: RegExp]>([
    ['TLSv1.2', /"reason":"tls".*it may want a client certificate/],
    // In TLS 1.3 the connection may break before it says so.
    ['TLSv1.3', /"reason":"(tls|network)"/],
  ])('gets the configured one, and is told from other trouble: %s', async (maxVersion, words) => {
    const authority = await createAuthority();
    const server = await authority.issue('platform');
    const tls = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true, maxVersion };
    const cloud = await simulate({ servers: 30, tls });
    const trusting = { cacert: authority.certFile };
    const stranger = await runExporter({ one: settingsFor(cloud, trusting) });
    expect(await outcomeOf(stranger)).toEqual([0, 0]);
    expect(cloud.journal.count()).toBe(0);
    expect(stranger.logged()).toMatch(words);
    const { certFile: cert, keyFile: key } = await authority.issue('exporter');
    const exporter = await runExporter({ one: settingsFor(cloud, { ...trusting, cert, key }) });
    expect(await outcomeOf(exporter)).toEqual([1, 30]);
  });
});

describeWith(['openssl'], 'a configuration with certificates', () => {
  it('has every mistake in them named', async () => {
    const [one, other] = [await selfSigned('one'), await selfSigned('other')];
    const account = { auth_url: 'https://a', username: 'a', password: 'b' };
    const clouds = {
      mixed: { ...account, cacert: one.keyFile, cert: one.certFile, key: other.keyFile },
      alone: { ...account, cert: one.certFile },
      keyOnly: { ...account, key: one.keyFile },
      swapped: { ...account, cert: one.keyFile, key: one.certFile },
      keyless: { ...account, cert: one.certFile, key: one.certFile },
    };
    expect(await toldOf({ clouds })).toEqual(
      [
        `mixed.cacert: ${one.keyFile} holds no certificate in PEM format`,
        `mixed.key: ${other.keyFile} does not belong to the certificate`,
        'alone.key: is missing: cert needs its key',
        'keyOnly.cert: is missing: key needs its certificate',
        `swapped.cert: ${one.keyFile} holds no certificate in PEM format`,
        `keyless.key: ${one.certFile} holds no usable private key in PEM format; a key with a passphrase cannot be used`,
      ].map((problem) => expect.stringMatching(new RegExp(`^FILE:\\d+: clouds\\.${problem}$`))),
    );
  });
});
