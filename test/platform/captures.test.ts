import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createIssuer, type Token } from '../../src/identity/issue.ts';
import { createPlatformApi, type PageRequest } from '../../src/platform/api.ts';
import { findEndpoint } from '../../src/platform/catalog.ts';
import { createScopeChoice } from '../../src/platform/scope.ts';
import { createServerReader } from '../../src/platform/server.ts';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import { createTransport } from '../../src/transport/request.ts';
import { createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';
import { captured } from '../support/capture.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

/** A platform that answers everything with one recorded answer. */
async function replay(name: string) {
  const { status, headers, body } = captured(name);
  const { date, 'content-length': _length, connection: _connection, ...closeIdle } = headers;
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(status, { ...closeIdle, ...(date && { date }) }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createTransport({
    clock: createEagerClock((ms) => ms < 1000),
    observer: { attempted: () => undefined, retrying: () => undefined },
    yieldToEventLoop: createYieldToEventLoop(),
    requestTimeoutMs: 5000,
    responseLimitBytes: 1e6,
    connections: 1,
    userAgent: 'test',
    tls: { insecureSkipVerify: false },
  });
  onTestFinished(() => transport.closeIdle());
  // The captures are of one night, so that is when they are read.
  const clock = { ...systemClock, now: () => Date.parse(date ?? '') };
  const deadline = performance.now() + 60_000;
  return {
    login() {
      const credential = { method: 'token' as const, token: async () => 'any' };
      return createIssuer({ authUrl: `${url}/v3/`, scope: undefined, transport, clock })({
        credential,
        deadline,
      });
    },
    api() {
      const token = {
        value: 'any',
        deadAt: Infinity,
        widestScope: 'system',
        catalog: [],
      } as unknown as Token;
      const tokens = {
        obtain: async () => token,
        replace: async () => undefined,
        accepted: () => undefined,
        isPrecious: false,
        isAwaited: () => false,
        held: () => token,
        resetBackoff: () => undefined,
      };
      const catalog = { interface: 'public', region: undefined };
      const scope = createScopeChoice([], silentLog);
      const own = { baseUrl: url, catalog, query: [], withMetadata: false };
      return createPlatformApi({ transport, tokens, scope, ...own });
    },
    context: { deadline },
  };
}

async function reasonOf(work: Promise<unknown>): Promise<FailureReason | 'none'> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof Failure ? error.reason : 'none'),
  );
}

describe('a token of the real platform', () => {
  it.each(['token-password-Domain-upper', 'token-by-token', 'token-by-aksk', 'token-alice-projA'])(
    'is read: %s',
    async (name) => {
      const token = await (await replay(name)).login();
      const body = JSON.parse(captured(name).body) as { id: string; token: { expires_at: string } };
      expect(token.value).toBe(body.id);
      expect(token.expiresAt).toBe(Date.parse(body.token.expires_at));
      expect(token.deadAt - token.renewAt).toBe(5 * 60_000);
      const system = { user: 'exporter', project: 'system', roles: ['admin'], widestScope: 'system' };
      if (name === 'token-by-aksk') expect(token).toMatchObject({ ...system, userDomain: 'Default' });
      expect(findEndpoint(token.catalog, { interface: 'public', region: 'region0' })).toBe(
        'http://127.0.0.1:30888',
      );
    },
  );

  it('that is unscoped has no catalog, which is said', async () => {
    const token = await (await replay('token-password-unscoped')).login();
    expect(token.catalog).toEqual([]);
    expect(() => findEndpoint(token.catalog, { interface: 'public', region: undefined })).toThrow(
      'it offers none',
    );
  });
});

const page: PageRequest = {
  resource: 'servers',
  ask: { limit: 10, expectAfter: undefined },
  details: true,
  fields: [],
};

describe('a captured error becomes the right reason', () => {
  it.each<[string, FailureReason]>([
    ['token-wrong-password', 'unauthorized'],
    ['token-unknown-user', 'unauthorized'],
    ['token-methods-two', 'unauthorized'],
    ['token-by-token-bad', 'unauthorized'],
    ['token-by-aksk-wrong-secret', 'unauthorized'],
    ['token-body-empty', 'rejected'],
    ['token-no-content-type', 'rejected'],
    ['token-password-scope-domain', 'unauthorized'],
  ])('at login: %s is %s', async (name, reason) => {
    expect(await reasonOf((await replay(name)).login())).toBe(reason);
  });

  it.each<[string, FailureReason]>([
    ['servers-invalid-token', 'forbidden'],
    ['servers-unscoped-token', 'forbidden'],
    ['servers-alice-scope_system', 'forbidden'],
    ['servers-limit_abc', 'upstream'],
  ])('at the list: %s is %s', async (name, reason) => {
    const { api, context } = await replay(name);
    expect(await reasonOf(api().listPage(page, context, () => ({ take: (record) => record })))).toBe(reason);
  });
});

describe('servers of the real platform', () => {
  const serverOf = (name: string) => (JSON.parse(captured(name).body) as { server: unknown }).server;
  const readServer = createServerReader(['metadata.user:team', 'cloud_env']);

  it.each([
    ['servers-limit_10_offset_70', 7, 77],
    ['servers-limit_10_offset_77', 0, 77],
    ['servers-q__details_true_limit_3_scope_system', 3, 77],
    ['servers-x_pending_delete_true', 2, 2],
    ['servers-empty-project', 0, undefined],
  ])('are all read: %s', async (name, count, total) => {
    const { api, context } = await replay(name);
    const read = createServerReader(['cloud_env']);
    const { items: servers, total: said } = await api().listPage(page, context, () => ({ take: read }));
    expect([servers.length, said]).toEqual([count, total]);
    const whole = JSON.parse(captured(name).body) as { servers?: unknown[] };
    expect(servers).toEqual((whole.servers ?? []).map(read));
    expect(servers.filter((server) => typeof server === 'string')).toEqual([]);
  });

  it('have their place, sizes, devices and addresses', () => {
    expect(readServer(serverOf('server-gpu'))).toMatchObject({
      id: 'd3205236-a8a7-5038-9283-a14a2556a942',
      name: 'vm-010',
      status: 'running',
      state: 'running',
      region: 'Default',
      zone: 'zone1',
      hypervisor: 'kvm',
      projectDomain: 'Default',
      project: 'projB',
      host: 'kvm-host-1',
      vcpus: 1,
      memory: 16_384,
      disk: 133_120,
      disks: 2,
      isGpu: true,
      devices: [{ type: 'GPU-HPC', model: 'Tesla V100' }],
      ips: '10.1.0.22,10.1.0.23',
      extra: ['团队-2', 'onpremise'],
    });
  });

  it('may have no place at all', () => {
    expect(readServer(serverOf('server-api-created-sched-fail'))).toMatchObject({
      status: 'sched_fail',
      state: 'failed',
      region: '',
      zone: '',
      host: '',
      project: 'system',
      disk: 0,
    });
  });
});
