import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accessKey, exporterAccount } from '../../src/simulator/accounts.ts';
import { isSigned } from '../../src/simulator/login.ts';
import { captured, capturedRequestBody } from '../support/capture.ts';
import type { SimulatedCloud } from './cloud.ts';
import { exchange, jsonHeaders, passwordIdentity, postLogin, projectScope } from './raw-request.ts';
import { startCloud, takeToken, type RawAnswer, type Row } from './raw-request.ts';

/** `access_key_secret` as a client makes it: a V4 signature, here over a canonical request that nobody looks at. */
function signLogin(secret: string = accessKey.secret): string {
  const [location, scope] = ['cn-beijing', '20261115/cn-beijing/s3/aws4_request'];
  const digest = createHash('sha256').update('the canonical request').digest('hex');
  const [algorithm, sign_date] = ['AWS4-HMAC-SHA256', '2026-11-15T00:13:13.000000Z'];
  const request = `${algorithm}\n20261115T001313Z\n${scope}\n${digest}`;
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const signature = sign(scope.split('/').reduce<string | Buffer>(sign, `AWS4${secret}`), request).toString(
    'hex',
  );
  const signed_headers = ['host', 'x-amz-date'];
  return JSON.stringify({
    access_key: accessKey.id,
    algorithm,
    location,
    request,
    sign_date,
    signature,
    signed_headers,
  });
}

const tokenIn = ({ json }: RawAnswer) => (json as { token: Row }).token;
const { name, password } = exporterAccount;
const by = (user: object) => ({ methods: ['password'], password: { user } });
const login = (cloud: SimulatedCloud, identity: object = passwordIdentity, scope: object = projectScope) =>
  postLogin(cloud, { identity, scope });

describe('a login', () => {
  test.each<[string, object]>([
    ['name and the name of its domain', { name, password, Domain: { name: 'Default' } }],
    ['name and the id of its domain, in small letters', { name, password, domain: { id: 'default' } }],
    ['id alone', { id: exporterAccount.id, password }],
  ])('finds its user by %s', async (_, user) => {
    const { status, headers, json } = await login(await startCloud(), by(user));
    expect([status, headers['x-subject-token']]).toEqual([200, (json as Row)['id']]);
    expect(headers).toMatchObject({ vary: 'Origin', 'content-type': 'application/json;charset=utf-8' });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{6}$/);
  });

  test('goes by the password of the day, which is a text, and is a POST', async () => {
    const cloud = await startCloud();
    const withPassword = (given: unknown) =>
      login(cloud, by({ name, password: given, domain: { id: 'default' } }));
    cloud.setPassword('rotated');
    const answers = [await withPassword(password), await withPassword('rotated'), await withPassword(1)];
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 400]);
    const url = `${cloud.authUrl}/v3/auth/tokens`;
    expect((await exchange({ url, method: 'PUT', headers: jsonHeaders })).status).toBe(405);
  });

  test.each<[string, object, string | undefined]>([
    ['a project by name and domain', projectScope, 'system'],
    ['a project, which wins over a domain', { ...projectScope, domain: { id: 'default' } }, 'system'],
    ['a domain by name', { domain: { name: 'Default' } }, undefined],
    ['a domain by id', { domain: { id: 'default' } }, undefined],
  ])('can be for %s', async (_, scope, project) => {
    const token = tokenIn(await login(await startCloud(), passwordIdentity, scope));
    expect([(token['project'] as Row)['name'], token['is_domain']]).toEqual([project, project === undefined]);
  });

  test('can be for a project by id, and for one without its domain it cannot', async () => {
    const cloud = await startCloud();
    const web = cloud.fleet.projects.filter((one) => one.name === 'web');
    expect(web.map((one) => one.domain.name)).toEqual(['Default', 'Retail']);
    const byId = await login(cloud, passwordIdentity, { project: { id: web[1]!.id } });
    expect(tokenIn(byId)['project']).toMatchObject({ name: 'web', domain: { name: 'Retail' } });
    for (const scope of [{ project: { name: 'system' } }, { domain: {} }, { domain: { name: 'nothing' } }])
      expect((await login(cloud, passwordIdentity, scope)).status).toBe(401);
  });

  test('advertises the platform in a catalog whose order changes, and without a scope in none', async () => {
    const cloud = await startCloud();
    const orders = new Set<string>();
    const endpoint = { interface: 'public', region_id: 'region0', url: cloud.baseUrl };
    const endpoints = expect.arrayContaining([expect.objectContaining(endpoint)]);
    const compute = expect.objectContaining({ name: 'region2', type: 'compute_v2', endpoints });
    for (let turn = 0; turn < 8; turn += 1) {
      const { catalog } = tokenIn(await login(cloud)) as { catalog: Row[] };
      orders.add(catalog.map(({ type }) => type).join());
      expect(catalog).toContainEqual(compute);
    }
    expect(orders.size).toBeGreaterThan(1);
    expect(tokenIn(await login(cloud, passwordIdentity, {}))).not.toHaveProperty('catalog');
  });
});

describe('another way in', () => {
  test('is a token, until it is dead', async () => {
    const cloud = await startCloud();
    const id = await takeToken(cloud, exporterAccount, {});
    const trade = () => login(cloud, { methods: ['token'], token: { id } });
    expect((await trade()).headers['x-subject-token']).toMatch(/^[0-9a-f]{64}$/);
    cloud.revokeTokens();
    const { status, json } = captured('token-by-token-bad');
    expect(await trade()).toMatchObject({ status, json: { class: json['class'] } });
  });

  test('is a CAS ticket, once', async () => {
    const cloud = await startCloud();
    const identity = { methods: ['cas'], cas_ticket: { id: cloud.issueTicket() } };
    const answers = [await login(cloud, identity), await login(cloud, identity)];
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  });

  test('is a signed access key, to its own project, and its secret is echoed', async () => {
    const cloud = await startCloud();
    const withKey = (text: string) => login(cloud, { methods: ['aksk'], access_key_secret: text }, {});
    const token = tokenIn(await withKey(signLogin()));
    const key = { access_key: accessKey.id, secret: accessKey.secret };
    expect(token).toMatchObject({ access_key: key, project: { name: 'system' } });
    expect(Object.keys(token)).toEqual(Object.keys(captured('token-by-aksk').json['token'] as Row));
    for (const wrong of [signLogin('another secret'), accessKey.secret])
      expect(await withKey(wrong)).toMatchObject({ status: captured('token-by-aksk-wrong-secret').status });
  });

  test('is the signature that the real platform took, and not the one that it refused', () => {
    const { access_key: key } = captured('token-by-aksk').json['token'] as Record<
      string,
      Record<string, string>
    >;
    const verdicts = ['token-by-aksk', 'token-by-aksk-wrong-secret'].map((capture) => {
      const { auth } = capturedRequestBody(capture) as { auth: { identity: { access_key_secret: string } } };
      return isSigned(auth.identity.access_key_secret, { id: key!['access_key']!, secret: key!['secret']! });
    });
    expect(verdicts).toEqual([true, false]);
  });
});
