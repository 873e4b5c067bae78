import { describe, expect, test } from 'vitest';
import { accessKey, exporterAccount, plainAccount } from '../../src/simulator/accounts.ts';
import { readSignedLogin, verifySignature } from '../../src/simulator/identity/signature.ts';
import { capturedAnswer, capturedRequest } from './captures.ts';
import {
  exchange,
  jsonHeaders,
  passwordIdentity,
  postLogin,
  projectScope,
  startCloud,
} from './raw-request.ts';
import { signLogin } from './sign-login.ts';

const { Domain, ...userWithoutDomain } = passwordIdentity.password.user;

function identityOf(user: object) {
  return { methods: ['password'], password: { user } };
}

describe('a password login', () => {
  test.each([
    ['name and the name of its domain', passwordIdentity.password.user],
    ['name and the id of its domain', { ...userWithoutDomain, Domain: { id: 'default' } }],
    ['id alone', { id: exporterAccount.id, password: exporterAccount.password }],
  ])('finds the user by %s', async (_, user) => {
    const cloud = await startCloud();
    expect((await postLogin(cloud, { identity: identityOf(user), scope: projectScope })).status).toBe(201);
  });

  test('does not see a small domain where the document has a capital one', async () => {
    const cloud = await startCloud();
    const small = { identity: identityOf({ ...userWithoutDomain, domain: Domain }), scope: projectScope };
    expect((await postLogin(cloud, small)).status).toBe(409);
    const platform = await startCloud({});
    expect((await postLogin(platform, small)).status).toBe(200);
  });

  test('is refused with a wrong password, and with the old one after a change', async () => {
    const cloud = await startCloud();
    const wrong = identityOf({ ...passwordIdentity.password.user, password: 'WRONG' });
    expect((await postLogin(cloud, { identity: wrong, scope: projectScope })).status).toBe(401);
    cloud.setPassword('rotated');
    expect((await postLogin(cloud, { identity: passwordIdentity, scope: projectScope })).status).toBe(401);
    const rotated = identityOf({ ...passwordIdentity.password.user, password: 'rotated' });
    expect((await postLogin(cloud, { identity: rotated, scope: projectScope })).status).toBe(201);
  });

  test('is refused for an unknown user and for a project in which the user has no role', async () => {
    const cloud = await startCloud();
    const nobody = identityOf({ ...passwordIdentity.password.user, name: 'nobody' });
    expect((await postLogin(cloud, { identity: nobody, scope: projectScope })).status).toBe(401);
    const { name, password } = plainAccount;
    const alice = identityOf({ name, password, Domain });
    expect((await postLogin(cloud, { identity: alice, scope: projectScope })).status).toBe(401);
    const web = { project: { name: 'web', domain: { name: 'Default' } } };
    expect((await postLogin(cloud, { identity: alice, scope: web })).status).toBe(201);
  });
});

describe('the request', () => {
  test.each([
    ['two methods', { ...passwordIdentity, methods: ['password', 'token'] }, 401],
    ['no method', { ...passwordIdentity, methods: [] }, 401],
    ['a method of its own', { ...passwordIdentity, methods: ['access_key_secret'] }, 401],
    ['a password that is a number', identityOf({ ...passwordIdentity.password.user, password: 1 }), 400],
  ])('with %s is refused', async (_, identity, status) => {
    const cloud = await startCloud();
    expect((await postLogin(cloud, { identity, scope: projectScope })).status).toBe(status);
  });

  test.each([
    ['no Content-Type', {}, JSON.stringify({ auth: { identity: passwordIdentity } })],
    ['another Content-Type', { 'Content-Type': 'text/plain' }, JSON.stringify({ auth: {} })],
    ['no body', jsonHeaders, ''],
    ['a body that is not JSON', jsonHeaders, '{"auth":'],
    ['a body that is a list', jsonHeaders, '[]'],
    [
      'another key beside auth',
      jsonHeaders,
      JSON.stringify({ auth: { identity: passwordIdentity }, more: 1 }),
    ],
  ])('with %s is 400', async (_, headers: Record<string, string>, body) => {
    const cloud = await startCloud();
    const url = `${cloud.authUrl}/v3/auth/tokens`;
    const answer = await exchange({ url, method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ class: 'InputParameterError', code: 400 });
  });

  test('by another verb is 405', async () => {
    const cloud = await startCloud();
    const answer = await exchange({ url: `${cloud.authUrl}/v3/auth/tokens`, headers: jsonHeaders });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('the scope', () => {
  const system = { name: 'system', domain: { name: 'Default' } };

  test.each([
    ['a project by name and domain id', { project: { ...system, domain: { id: 'default' } } }, 'system'],
    ['a project by name and domain name', { project: system }, 'system'],
    ['a project, which wins over a domain', { project: system, domain: { id: 'default' } }, 'system'],
    ['a domain by name', { domain: { name: 'Default' } }, ''],
    ['a domain by id', { domain: { id: 'default' } }, ''],
  ])('can be %s', async (_, scope, name) => {
    const cloud = await startCloud();
    const answer = await postLogin(cloud, { identity: passwordIdentity, scope });
    expect(answer.json).toMatchObject({ token: { project: { Name: name }, is_domain: name === '' } });
  });

  test('can be a project by id', async () => {
    const cloud = await startCloud();
    const web = cloud.fleet.projects.filter(({ name }) => name === 'web');
    expect(web.map(({ domain }) => domain.name)).toEqual(['Default', 'Retail']);
    const scope = { project: { id: web[1]?.id } };
    const answer = await postLogin(cloud, { identity: passwordIdentity, scope });
    expect(answer.json).toMatchObject({ token: { project: { Name: 'web', Domain: { name: 'Retail' } } } });
  });

  test.each([
    ['a project without its domain', { project: { name: 'system' } }],
    ['an unknown project', { project: { name: 'nothing', domain: { id: 'default' } } }],
    ['an unknown domain', { domain: { name: 'nothing' } }],
    ['a domain without a name', { domain: {} }],
  ])('cannot be %s', async (_, scope) => {
    const cloud = await startCloud();
    expect((await postLogin(cloud, { identity: passwordIdentity, scope })).status).toBe(401);
  });

  test('left out gives a token without a catalog', async () => {
    const cloud = await startCloud();
    const answer = await postLogin(cloud, { identity: passwordIdentity });
    expect(answer.json).toMatchObject({ token: { catalog: [], roles: [], project: { Id: '' } } });
  });
});

describe('the other methods', () => {
  test('a token is traded for a new one, once the old one is dead no longer', async () => {
    const cloud = await startCloud();
    const unscoped = await postLogin(cloud, { identity: passwordIdentity });
    const identity = { methods: ['token'], token: { id: unscoped.headers['x-subject-token'] } };
    const traded = await postLogin(cloud, { identity, scope: projectScope });
    expect(traded.status).toBe(201);
    expect(traded.headers['x-subject-token']).not.toBe(unscoped.headers['x-subject-token']);
    cloud.revokeTokens();
    expect((await postLogin(cloud, { identity, scope: projectScope })).status).toBe(401);
  });

  test('a CAS ticket opens one login only', async () => {
    const cloud = await startCloud();
    const identity = { methods: ['cas'], cas_ticket: { id: cloud.issueTicket() } };
    expect((await postLogin(cloud, { identity, scope: projectScope })).status).toBe(201);
    expect((await postLogin(cloud, { identity, scope: projectScope })).status).toBe(401);
  });

  test('a signed access key opens a login to its own project, and is echoed', async () => {
    const cloud = await startCloud();
    const identity = { methods: ['aksk'], access_key_secret: signLogin() };
    const answer = await postLogin(cloud, { identity });
    expect(answer.json).toMatchObject({
      token: {
        access_key: { AccessKey: accessKey.id, secret: accessKey.secret },
        project: { Name: 'system' },
      },
    });
  });

  test('an access key signed with another secret is refused', async () => {
    const cloud = await startCloud();
    const identity = { methods: ['aksk'], access_key_secret: signLogin('another secret') };
    expect((await postLogin(cloud, { identity })).status).toBe(401);
    const secretItself = { methods: ['aksk'], access_key_secret: accessKey.secret };
    expect((await postLogin(cloud, { identity: secretItself })).status).toBe(401);
  });

  test('the signature that the real platform accepted is accepted, the one that it refused is not', () => {
    const { token } = capturedAnswer('token-by-aksk').json as { token: { access_key: { secret: string } } };
    const { secret } = token.access_key;
    const accepted = readSignedLogin(signedIn('token-by-aksk'));
    const refused = readSignedLogin(signedIn('token-by-aksk-wrong-secret'));
    expect(accepted && verifySignature(accepted, secret)).toBe(true);
    expect(refused && verifySignature(refused, secret)).toBe(false);
  });
});

function signedIn(name: string): string {
  const body = JSON.parse(capturedRequest(name)) as { auth: { identity: { access_key_secret: string } } };
  return body.auth.identity.access_key_secret;
}
