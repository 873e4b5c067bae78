import { describe, expect, test } from 'vitest';
import { exporterAccount } from './accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { exchange, jsonHeaders, passwordIdentity, postLogin, projectScope } from './raw-request.ts';
import { startCloud, type RawAnswer, type Row } from './raw-request.ts';

const tokenIn = ({ json }: RawAnswer) => (json as { token: Row }).token;
const login = (cloud: SimulatedCloud, identity: object = passwordIdentity, scope: object = projectScope) =>
  postLogin(cloud, { identity, scope });

describe('a login', () => {
  test('goes by the password of the day, which is a text, and is a POST', async () => {
    const cloud = await startCloud();
    cloud.setPassword('rotated');
    const { id, password } = exporterAccount;
    const statusOf = async (given: unknown) => {
      const user = { id, password: given };
      return (await login(cloud, { methods: ['password'], password: { user } })).status;
    };
    expect([await statusOf(password), await statusOf('rotated'), await statusOf(1)]).toEqual([401, 200, 400]);
    const url = `${cloud.authUrl}/v3/auth/tokens`;
    expect((await exchange({ url, method: 'PUT', headers: jsonHeaders })).status).toBe(405);
  });

  test('can be for a project by id, which wins over a domain, and not for one without its domain', async () => {
    const cloud = await startCloud();
    const web = cloud.fleet.projects.filter((one) => one.name === 'web');
    expect(web.map((one) => one.domain.name)).toEqual(['Default', 'Retail']);
    const byId = await login(cloud, passwordIdentity, {
      project: { id: web[1]!.id },
      domain: { id: 'default' },
    });
    expect(tokenIn(byId)['project']).toMatchObject({ name: 'web', domain: { name: 'Retail' } });
    for (const scope of [{ project: { name: 'system' } }, { domain: {} }, { domain: { name: 'nothing' } }])
      expect((await login(cloud, passwordIdentity, scope)).status).toBe(401);
  });

  test('advertises the platform in a catalog whose order changes', async () => {
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
  });
});
