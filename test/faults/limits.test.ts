import { describe, expect, it } from 'vitest';
import { createMirror } from '../../src/inventory/mirror.ts';
import { addUp } from '../../src/inventory/sums.ts';
import { fleetBreakdowns, fleetMeasures } from '../../src/metrics/fleet.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { truthOf } from '../simulator/truth.ts';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { expectTruth } from '../support/truth.ts';

describe('an answer', () => {
  it.each([{ chunked: false }, { chunked: true }])(
    'of 50 MB is garbage at worst: read, not understood, and nothing breaks (%o)',
    async ({ chunked }) => {
      const { cloud, expectTrue } = await exportCloud({ servers: 25 });
      cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'garbage', megabytes: 50, chunked } });
      const retries = (await expectTrue()).of('cloud_exporter_api_retries_total');
      expect(retries.filter(({ value }) => value > 0).map(({ labels }) => labels['reason'])).toEqual([
        'malformed',
      ]);
    },
  );

  it.each([
    [1999, { oversized: 1 }],
    [2000, {}],
  ])('of 2000 bytes, where %i are allowed, ends in %o', async (limit, failures) => {
    const { cloud, scrape } = await exportCloud({ servers: 25, settings: { response_limit_bytes: limit } });
    const text = JSON.stringify({ servers: [], total: 0 }).padEnd(2000, ' ');
    cloud.faults.set({ operation: 'list', fault: { kind: 'text', text } });
    // Else the login would be longer than that.
    const endpoints = [{ interface: 'public', url: cloud.baseUrl }];
    cloud.quirks.rewriteToken = () => ({ token: { catalog: [{ type: 'compute_v2', endpoints }] } });
    expect(failuresOf(await scrape())).toEqual(failures);
  });
});

describe('a label value', () => {
  it('of 1024 characters is whole, and a longer one is cut where everybody sees it', async () => {
    const { fleet, scrape } = await exportCloud({ servers: 2 });
    for (const [index, { id }] of fleet.servers.entries())
      fleet.change(id, { zone: 'z'.repeat(1024 + index), host_id: '' });
    const zones = (await scrape()).of('cloud_servers').map(({ labels }) => labels['zone']!);
    expect(zones.toSorted()).toEqual(['z'.repeat(1024), `${'z'.repeat(1023)}…`].toSorted());
  });

  it('that becomes equal to another by the cut is one series, and the sums stay whole', async () => {
    const { fleet, scrape } = await exportCloud({ servers: 20 });
    const place = { region: 'r', zone: 'z', hypervisor: 'kvm', project_domain: 'Default', status: 'running' };
    for (const [index, { id }] of fleet.servers.entries()) {
      const project = { project: `${'long'.repeat(300)}${index}`, tenant_id: `project-${index}` };
      fleet.change(id, { ...place, ...project, host_id: '' });
    }
    const parsed = await scrape();
    expect(parsed.of('cloud_servers')).toHaveLength(1);
    expect(parsed.sum('cloud_servers')).toBe(20);
    const { rows } = truthOf(fleet);
    expect(parsed.sum('cloud_servers_vcpus')).toBe(rows.reduce((sum, { vcpus }) => sum + vcpus, 0));
  });

  it('is not cut in the middle of a character', () => {
    const read = createServerReader([]);
    const record = { id: 'a', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
    const { name } = read({ ...record, name: '𝒳'.repeat(600) }) as Server;
    expect([name.length, name.isWellFormed(), name.endsWith('…')]).toEqual([1024, true, true]);
  });

  it('is never cut if it is an id: a server with one beyond 256 characters is rejected', async () => {
    const { cloud, fleet, scrape } = await exportCloud({ servers: 25, settings: { per_server: true } });
    const [first, second, third] = fleet.servers.map(({ id }) => id);
    const ids: Record<string, string> = {
      [first!]: 'i'.repeat(256),
      [second!]: 'i'.repeat(257),
      [third!]: '\ud800',
    };
    cloud.quirks.rewriteServer = (server) => {
      const id = String(server['id']);
      return { ...server, id: ids[id] ?? id };
    };
    const parsed = await scrape();
    expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'no_id' })).toBe(2);
    expect(parsed.of('cloud_server_vcpus').map(({ labels }) => labels['id'])).toContain('i'.repeat(256));
    fleet.remove([second!, third!]);
    expectTruth(parsed, truthOf(fleet), 'one');
  });
});

describe('label sets beyond series_limit', () => {
  it('do not meet a place that is really called `other`', async () => {
    const { fleet, scrape } = await exportCloud({ servers: 60, settings: { series_limit: 8 } });
    const named = { region: 'other', zone: 'other', hypervisor: 'other', project_domain: 'other' };
    for (const { id } of fleet.servers.slice(0, 5))
      fleet.change(id, { ...named, project: 'other', status: 'running' });
    expect((await scrape()).sum('cloud_servers')).toBe(60);
  });

  it('stay few even when every server has a status and a device of its own', () => {
    const read = createServerReader([]);
    const rows = Array.from({ length: 5000 }, (_, index) => {
      const device = { dev_type: 'other', model: `model-${index}` };
      const numbers = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
      const status = index % 2 ? `odd-${index}` : `fail-${index}`;
      const server = read({ id: String(index), ...numbers, status, isolated_devices: [device] }) as Server;
      return { id: server.id, server, print: undefined, readAt: 0, kept: undefined, at: undefined };
    });
    const mirror = createMirror();
    const reading = mirror.begin();
    for (const row of rows) reading.put(row);
    reading.commit('full', { isAscending: true, hosts: [] });
    const settings = {
      breakdowns: fleetBreakdowns,
      measures: fleetMeasures,
      hostMeasures: [],
      problems: { limit: 10, stuckAfterMs: 0, expiringWithinMs: 0 },
      groupLimit: 10,
    };
    const { statuses, parts } = addUp(mirror.rows(), settings, 0);
    const devices = parts[0]!;
    const servers = (some: typeof statuses) => some.reduce((sum, one) => sum + one.servers, 0);
    const labels = new Set(
      statuses.map(({ place, status, state }) => JSON.stringify([place, status, state])),
    );
    expect(labels.size).toBe(statuses.length);
    expect(statuses.length).toBeLessThan(220);
    expect(devices.length).toBeLessThan(250);
    expect(servers(statuses)).toBe(5000);
    expect(devices.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
    const failed = statuses.filter(({ state }) => state === 'task_failed');
    expect(servers(failed)).toBe(2500);
  });
});
