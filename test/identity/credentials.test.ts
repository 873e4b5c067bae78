import { expect, it } from 'vitest';
import { loginBody, signAccessKey, type Credential } from '../../src/identity/credentials.ts';
import { captured } from '../support/capture.ts';

const url = new URL('https://cloud.example.com:30500/v3/auth/tokens');
const at = new Date('2026-11-15T00:13:13Z');

it('a login is, but for the capital Domain, what the real platform took', async () => {
  const domain = { name: 'Default' };
  const user = { name: 'sysadmin', domain };
  const credential: Credential = { method: 'password', user, password: async () => 'sysadmin-pw1' };
  const scope = { project: { name: 'system', domain } };
  const { body } = await loginBody({ credential, scope, url, at });
  expect(body).toEqual(JSON.parse(captured('token-password-Domain-upper').request.body));
});

it('an access key signature has the parts of the one that the real platform took, and not the secret', () => {
  type Signed = Record<string, string>;
  const taken = JSON.parse(captured('token-by-aksk').request.body) as { auth: { identity: Signed } };
  const sample = JSON.parse(taken.auth.identity['access_key_secret']!) as Signed;
  const secretKey = 'the-secret-key';
  const text = signAccessKey({ accessKey: 'key-id', secretKey, url, at });
  const signed = JSON.parse(text) as Signed;
  expect(Object.keys(signed).toSorted()).toEqual(Object.keys(sample).toSorted());
  expect(signed).toMatchObject({
    algorithm: 'AWS4-HMAC-SHA256',
    sign_date: '2026-11-15T00:13:13.000000Z',
    request: expect.stringMatching(
      /^AWS4-HMAC-SHA256\n20261115T001313Z\n20261115\/[\w-]+\/s3\/aws4_request\n[0-9a-f]{64}$/,
    ) as string,
    signed_headers: ['host', 'x-amz-content-sha256', 'x-amz-date'],
  });
  expect(text).not.toContain(secretKey);
});
