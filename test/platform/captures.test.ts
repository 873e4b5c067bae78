import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createIssuer } from '../../src/identity/issue.ts';
import { findEndpoint } from '../../src/platform/catalog.ts';
import { createServerReader } from '../../src/platform/server.ts';
import { captured } from '../support/capture.ts';
import { serve, transportWith } from '../support/served.ts';

it.each(['token-password-Domain-upper', 'token-by-token', 'token-by-aksk', 'token-alice-projA'])(
  'a token of the real platform is read: %s',
  async (name) => {
    const { status, headers, body, json } = captured(name);
    const [date, subject] = [headers['date']!, headers['x-subject-token']];
    const { origin } = await serve((_request, response) => {
      response.writeHead(status, { Date: date, ...(subject && { 'X-Subject-Token': subject }) }).end(body);
    });
    // The captures are of one night, so that is when they are read.
    const clock = { ...systemClock, now: () => Date.parse(date) };
    const transport = transportWith({ clock });
    const token = await createIssuer({ authUrl: `${origin}/v3/`, scope: undefined, transport, clock })({
      credential: { method: 'token', token: async () => 'any' },
      deadline: clock.monotonic() + 60_000,
    });
    const told = json as { id: string; token: { expires_at: string } };
    expect(token).toMatchObject({ value: told.id, expiresAt: Date.parse(told.token.expires_at) });
    expect(token.deadAt - token.renewAt).toBe(5 * 60_000);
    const system = { user: 'exporter', project: 'system', roles: ['admin'], widestScope: 'system' };
    if (name === 'token-by-aksk') expect(token).toMatchObject({ ...system, userDomain: 'Default' });
    const wanted = { interface: 'public', region: 'region0' };
    expect(findEndpoint(token.catalog, wanted)).toBe('http://127.0.0.1:30888');
  },
);

describe('servers of the real platform', () => {
  const readServer = createServerReader(['metadata.user:team', 'cloud_env']);

  it.each([
    ['servers-limit_10_offset_70', 7],
    ['servers-q__details_true_limit_3_scope_system', 3],
    ['servers-x_pending_delete_true', 2],
  ])('are all read: %s', (name, count) => {
    const { rows } = captured(name);
    const read = rows.map(readServer);
    expect(read).toMatchObject(rows.map(({ id, name }) => ({ id, name })));
    expect(read).toHaveLength(count);
  });

  it('have their place, sizes, devices and addresses', () => {
    expect(readServer(captured('server-gpu').json['server'])).toMatchObject({
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
});
