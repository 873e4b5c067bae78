import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accessKey, exporterAccount } from '../../src/simulator/accounts.ts';
import { isSigned } from '../../src/simulator/login.ts';
import { captured, capturedRequestBody } from '../support/capture.ts';
import {
  exchange,
  jsonHeaders,
  passwordIdentity,
  postLogin,
  projectScope,
  startCloud,
} from './raw-request.ts';
import { takeToken, type RawAnswer, type Row } from './raw-request.ts';

/** `access_key_secret` as a client makes it: a V4 signature, here over a canonical request that nobody looks at. */
function signLogin(secret: string = accessKey.secret): string {
  const [location, scope] = ['cn-beijing', '20261115/cn-beijing/s3/aws4_request'];
  const digest = createHash('sha256').update('the canonical request').digest('hex');
  const request = `AWS4-HMAC-SHA256\n20261115T001313Z\n${scope}\n${digest}`;
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.split('/').reduce<string | Buffer>(sign, `AWS4${secret}`);
  const signature = sign(key, request).toString('hex');
  const [sign_date, signed_headers] = ['2026-11-15T00:13:13.000000Z', ['host', 'x-amz-date']];
  const algorithm = 'AWS4-HMAC-SHA256';
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
const { name, password, domain } = exporterAccount;
const by = (user: object) => ({ methods: ['password'], password: { user } });

describe('a login', () => {
  test.each<[string, object]>([
    ['name and the name of its domain', { name, password, Domain: { name: domain.name } }],
    ['name and the id of its domain, in small letters', { name, password, domain: { id: domain.id } }],
    ['id alone', { id: exporterAccount.id, password }],
  ])('finds its user by %s', async (_, user) => {
    const answer = await postLogin(await startCloud(), { identity: by(user), scope: projectScope });
    expect([answer.status, answer.headers['x-subject-token']]).toEqual([200, (answer.json as Row)['id']]);
    expect(answer.headers).toMatchObject({
      vary: 'Origin',
      'content-type': 'application/json;charset=utf-8',
    });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{6}$/);
  });

  test('goes by the password of the day', async () => {
    const cloud = await startCloud();
    cloud.setPassword('rotated');
    expect((await postLogin(cloud, { identity: passwordIdentity, scope: projectScope })).status).toBe(401);
    const rotated = by({ name, password: 'rotated', domain: { name: domain.name } });
    expect((await postLogin(cloud, { identity: rotated, scope: projectScope })).status).toBe(200);
  });

  test('by a number for a password, and by another verb, is no login', async () => {
    const cloud = await startCloud();
    expect(
      (await postLogin(cloud, { identity: by({ name, password: 1, domain: { name: domain.name } }) })).status,
    ).toBe(400);
    const url = `${cloud.authUrl}/v3/auth/tokens`;
    expect((await exchange({ url, method: 'PUT', headers: jsonHeaders })).status).toBe(405);
  });

  test.each<[string, object, string | undefined]>([
    ['a project by name and domain', projectScope, 'system'],
    ['a project, which wins over a domain', { ...projectScope, domain: { id: 'default' } }, 'system'],
    ['a domain by name', { domain: { name: 'Default' } }, undefined],
    ['a domain by id', { domain: { id: 'default' } }, undefined],
  ])('can be for %s', async (_, scope, project) => {
    const token = tokenIn(await postLogin(await startCloud(), { identity: passwordIdentity, scope }));
    expect(token).toMatchObject({
      project: project === undefined ? {} : { name: project },
      is_domain: project === undefined,
    });
    expect((token['project'] as Row)['name']).toBe(project);
  });

  test('can be for a project by id, and for one without its domain it cannot', async () => {
    const cloud = await startCloud();
    const web = cloud.fleet.projects.filter((one) => one.name === 'web');
    expect(web.map((one) => one.domain.name)).toEqual(['Default', 'Retail']);
    const byId = await postLogin(cloud, {
      identity: passwordIdentity,
      scope: { project: { id: web[1]!.id } },
    });
    expect(tokenIn(byId)['project']).toMatchObject({ name: 'web', domain: { name: 'Retail' } });
    for (const scope of [{ project: { name: 'system' } }, { domain: {} }, { domain: { name: 'nothing' } }])
      expect((await postLogin(cloud, { identity: passwordIdentity, scope })).status).toBe(401);
  });

  test('advertises the platform in a catalog whose order changes, and without a scope in none', async () => {
    const cloud = await startCloud();
    const orders = new Set<string>();
    for (let turn = 0; turn < 8; turn += 1) {
      const { catalog } = tokenIn(
        await postLogin(cloud, { identity: passwordIdentity, scope: projectScope }),
      ) as { catalog: Row[] };
      orders.add(catalog.map(({ type }) => type).join());
      const endpoint = { interface: 'public', region_id: 'region0', url: cloud.baseUrl };
      const endpoints = expect.arrayContaining([expect.objectContaining(endpoint)]);
      expect(catalog).toContainEqual(
        expect.objectContaining({ name: 'region2', type: 'compute_v2', endpoints }),
      );
    }
    expect(orders.size).toBeGreaterThan(1);
    expect(tokenIn(await postLogin(cloud, { identity: passwordIdentity }))).not.toHaveProperty('catalog');
  });
});

describe('another way in', () => {
  test('is a token, until it is dead', async () => {
    const cloud = await startCloud();
    const id = await takeToken(cloud, exporterAccount, {});
    const trade = () =>
      postLogin(cloud, { identity: { methods: ['token'], token: { id } }, scope: projectScope });
    expect((await trade()).headers['x-subject-token']).toMatch(/^[0-9a-f]{64}$/);
    cloud.revokeTokens();
    const { status, json } = captured('token-by-token-bad');
    expect(await trade()).toMatchObject({ status, json: { class: json['class'] } });
  });

  test('is a CAS ticket, once', async () => {
    const cloud = await startCloud();
    const identity = { methods: ['cas'], cas_ticket: { id: cloud.issueTicket() } };
    const statuses = [
      await postLogin(cloud, { identity, scope: projectScope }),
      await postLogin(cloud, { identity, scope: projectScope }),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 401]);
  });

  test('is a signed access key, to its own project, and its secret is echoed', async () => {
    const cloud = await startCloud();
    const login = (secret: string) =>
      postLogin(cloud, { identity: { methods: ['aksk'], access_key_secret: secret } });
    const token = tokenIn(await login(signLogin()));
    expect(token).toMatchObject({
      access_key: { access_key: accessKey.id, secret: accessKey.secret },
      project: { name: 'system' },
    });
    expect(Object.keys(token)).toEqual(Object.keys(captured('token-by-aksk').json['token'] as Row));
    for (const wrong of [signLogin('another secret'), accessKey.secret])
      expect(await login(wrong)).toMatchObject({ status: captured('token-by-aksk-wrong-secret').status });
  });

  test('is the signature that the real platform took, and not the one that it refused', () => {
    const { access_key } = captured('token-by-aksk').json['token'] as {
      access_key: Record<'access_key' | 'secret', string>;
    };
    const verdicts = ['token-by-aksk', 'token-by-aksk-wrong-secret'].map((capture) => {
      const { auth } = capturedRequestBody(capture) as { auth: { identity: { access_key_secret: string } } };
      return isSigned(auth.identity.access_key_secret, {
        id: access_key.access_key,
        secret: access_key.secret,
      });
    });
    expect(verdicts).toEqual([true, false]);
  });
});
