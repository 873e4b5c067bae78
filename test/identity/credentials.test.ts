import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loginBody, type Credential, type Scope } from '../../src/identity/credentials.ts';
import { signAccessKey } from '../../src/identity/signature.ts';
import { captured, capturedRequestBody } from '../support/capture.ts';

const url = new URL('https://cloud.example.com:30500/v3/auth/tokens');
const at = new Date('2026-11-15T00:13:13Z');
const secret = (value: string) => async () => value;

describe('the login body', () => {
  it.each<[Credential, object]>([
    [
      { method: 'password', user: { name: 'u', domain: { name: 'Default' } }, password: secret('pw') },
      { password: { user: { name: 'u', Domain: { name: 'Default' }, password: 'pw' } } },
    ],
    [
      { method: 'password', user: { id: 'u1' }, password: secret('pw') },
      { password: { user: { id: 'u1', password: 'pw' } } },
    ],
    [{ method: 'token', token: secret('t') }, { token: { id: 't' } }],
    [{ method: 'cas', ticket: secret('c') }, { cas_ticket: { id: 'c' } }],
  ])('proves who asks, with a capital Domain: $method', async (credential, proof) => {
    const { body } = await loginBody({ credential, scope: undefined, url, at });
    expect(body).toEqual({ auth: { identity: { methods: [credential.method], ...proof } } });
  });

  it.each<Scope>([
    { project: { id: 'p1' } },
    { project: { name: 'system', domain: { id: 'default' } } },
    { domain: { name: 'Default' } },
  ])('asks for the scope %j', async (scope) => {
    const credential: Credential = { method: 'token', token: secret('t') };
    expect((await loginBody({ credential, scope, url, at })).body).toMatchObject({ auth: { scope } });
  });

  it('is, but for the capital Domain, what the real platform took', async () => {
    const credential: Credential = {
      method: 'password',
      user: { name: 'sysadmin', domain: { name: 'Default' } },
      password: secret('sysadmin-pw1'),
    };
    const scope = { project: { name: 'system', domain: { name: 'Default' } } };
    expect((await loginBody({ credential, scope, url, at })).body).toEqual(
      capturedRequestBody('token-password-Domain-upper'),
    );
  });
});

describe('an access key signature', () => {
  const accessKey = 'key-id';
  const secretKey = 'the-secret-key';
  const signed = JSON.parse(signAccessKey({ accessKey, secretKey, url, at })) as Record<string, string> & {
    signed_headers: string[];
  };

  it('has the parts of the one that the real platform took', () => {
    const taken = capturedRequestBody('token-by-aksk') as {
      auth: { identity: { access_key_secret: string } };
    };
    const sample = JSON.parse(taken.auth.identity.access_key_secret) as Record<string, unknown>;
    expect(Object.keys(signed).toSorted()).toEqual(Object.keys(sample).toSorted());
    expect(signed).toMatchObject({ algorithm: 'AWS4-HMAC-SHA256', sign_date: '2026-11-15T00:13:13.000000Z' });
    expect(signed['request']).toMatch(
      /^AWS4-HMAC-SHA256\n20261115T001313Z\n20261115\/[\w-]+\/s3\/aws4_request\n[0-9a-f]{64}$/,
    );
    expect(signed['signed_headers']).toEqual(['host', 'x-amz-content-sha256', 'x-amz-date']);
  });

  it('verifies as the captured one does, and does not hold the secret', () => {
    const taken = capturedRequestBody('token-by-aksk') as {
      auth: { identity: { access_key_secret: string } };
    };
    const sample = JSON.parse(taken.auth.identity.access_key_secret) as Record<string, string>;
    const echoed = (
      JSON.parse(captured('token-by-aksk').body) as { token: { access_key: { secret: string } } }
    ).token;
    expect(verify(sample, echoed.access_key.secret)).toBe(sample['signature']);
    expect(verify(signed, secretKey)).toBe(signed['signature']);
    expect(JSON.stringify(signed)).not.toContain(secretKey);
  });
});

/** As AWS describes it: a key derived from secret, day, place and service signs the text. */
function verify({ request = '', location = '' }: Record<string, string>, secretKey: string): string {
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const day = request.split('\n')[1]!.slice(0, 8);
  const key = hmac(hmac(hmac(hmac(`AWS4${secretKey}`, day), location), 's3'), 'aws4_request');
  return hmac(key, request).toString('hex');
}
