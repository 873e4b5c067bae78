import { describe, expect, it } from 'vitest';
import { createMirror } from '../../src/inventory/mirror.ts';
import { addUp } from '../../src/inventory/sums.ts';
import { fleetBreakdowns, fleetMeasures } from '../../src/metrics/fleet.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

async function scrape(cloud: Awaited<ReturnType<typeof simulate>>, settings: object = {}): Promise<Parsed> {
  const exporter = await runExporter({ one: settingsFor(cloud, settings) });
  return parseExposition(await exporter.text('/metrics'));
}

const failuresFor = (parsed: Parsed, reason: string) =>
  parsed.value('cloud_exporter_collection_failures_total', { reason });

describe('an answer', () => {
  it.each([{ chunked: false }, { chunked: true }])(
    'of 50 MB is garbage at worst: read, not understood, and nothing breaks (%o)',
    async ({ chunked }) => {
      const cloud = await simulate({ servers: 25 });
      cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'garbage', megabytes: 50, chunked } });
      const parsed = await scrape(cloud);
      expect(
        parsed.value('cloud_exporter_api_retries_total', {
          operation: 'list_servers',
          reason: 'malformed',
        }),
      ).toBe(1);
      expectTruth(parsed, truthOf(cloud.fleet), 'one');
    },
  );

  it('that is one byte too large is a failure with a reason, and one that just fits is taken', async () => {
    const cloud = await simulate({ servers: 25 });
    const servers = JSON.stringify({ servers: [], total: 0 });
    const padded = servers.padEnd(2000, ' ');
    cloud.faults.set({ operation: 'list', fault: { kind: 'text', text: padded } });
    const settings = { base_url: cloud.baseUrl, response_limit_bytes: 1999 };
    const login = cloud.faults.set({ operation: 'login', fault: { kind: 'json', json: {} } });
    login.clear();
    cloud.quirks.rewriteToken = () => ({ token: {} });
    expect(failuresFor(await scrape(cloud, settings), 'oversized')).toBe(1);
    expect((await scrape(cloud, { ...settings, response_limit_bytes: 2000 })).value('cloud_up')).toBe(1);
  });
});

describe('a label value', () => {
  it('of 1024 characters is whole, and a longer one is cut where everybody sees it', async () => {
    const cloud = await simulate({ servers: 2 });
    const [whole, cut] = cloud.fleet.servers;
    cloud.fleet.change(whole!.id, { zone: 'z'.repeat(1024), host_id: '' });
    cloud.fleet.change(cut!.id, { zone: 'z'.repeat(1025), host_id: '' });
    const zones = (await scrape(cloud)).of('cloud_servers').map(({ labels }) => labels['zone']!);
    expect(zones.toSorted()).toEqual(['z'.repeat(1024), `${'z'.repeat(1023)}…`].toSorted());
  });

  it('that becomes equal to another by the cut is one series, and the sums stay whole', async () => {
    const cloud = await simulate({ servers: 20 });
    const place = { region: 'r', zone: 'z', hypervisor: 'kvm', project_domain: 'Default', status: 'running' };
    for (const [index, { id }] of cloud.fleet.servers.entries())
      cloud.fleet.change(id, {
        ...place,
        project: `${'long'.repeat(300)}${index}`,
        tenant_id: `project-${index}`,
        host_id: '',
      });
    const parsed = await scrape(cloud);
    expect(parsed.of('cloud_servers')).toHaveLength(1);
    expect(parsed.sum('cloud_servers')).toBe(20);
    const { rows } = truthOf(cloud.fleet);
    expect(parsed.sum('cloud_servers_vcpus')).toBe(rows.reduce((sum, { vcpus }) => sum + vcpus, 0));
  });

  it('is not cut in the middle of a character', () => {
    const read = createServerReader([]);
    const record = { id: 'a', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
    const { name } = read({ ...record, name: '𝒳'.repeat(600) }) as Server;
    expect([name.length, name.isWellFormed(), name.endsWith('…')]).toEqual([1024, true, true]);
  });

  it('is never cut if it is an id: a server with one beyond 256 characters is rejected', async () => {
    const cloud = await simulate({ servers: 25 });
    const [first, second, third] = cloud.fleet.servers.map(({ id }) => id);
    const ids: Record<string, string> = {
      [first!]: 'i'.repeat(256),
      [second!]: 'i'.repeat(257),
      [third!]: '\ud800',
    };
    cloud.quirks.rewriteServer = (server) => {
      const id = String(server['id']);
      return { ...server, id: ids[id] ?? id };
    };
    const parsed = await scrape(cloud, { per_server: true });
    expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'no_id' })).toBe(2);
    expect(parsed.of('cloud_server_vcpus').map(({ labels }) => labels['id'])).toContain('i'.repeat(256));
    cloud.fleet.remove([second!, third!]);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  });
});

describe('label sets beyond series_limit', () => {
  const sums = [
    'cloud_servers',
    'cloud_servers_vcpus',
    'cloud_servers_memory_bytes',
    'cloud_servers_devices',
  ];

  it.each([8, 40, 200])(
    'of %i are counted under `other`, every sum is whole, and the loss is told',
    async (limit) => {
      const cloud = await simulate({ servers: 400 });
      const whole = await scrape(cloud);
      const folded = await scrape(cloud, { series_limit: limit });
      for (const name of sums) expect(folded.sum(name), name).toBe(whole.sum(name));
      expect(folded.value('cloud_exporter_series_dropped')).toBeGreaterThan(0);
      expect(folded.sum('cloud_servers', { project: 'other' })).toBeGreaterThan(0);
      expect(whole.value('cloud_exporter_series_dropped')).toBe(0);
    },
  );

  it('do not meet a place that is really called `other`', async () => {
    const cloud = await simulate({ servers: 60 });
    const named = { region: 'other', zone: 'other', hypervisor: 'other', project_domain: 'other' };
    for (const { id } of cloud.fleet.servers.slice(0, 5))
      cloud.fleet.change(id, { ...named, project: 'other', status: 'running' });
    const parsed = await scrape(cloud, { series_limit: 8 });
    expect(parsed.sum('cloud_servers')).toBe(60);
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
