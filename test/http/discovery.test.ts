import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { documented } from '../prometheus/discovery.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { createShortPauses, minuteMs } from '../support/manual-clock.ts';
import { type RunningExporter } from '../support/simulated.ts';

interface Group {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

type ServerRecord = Fleet['servers'][number];

async function groupsOf(exporter: RunningExporter, query = ''): Promise<Group[]> {
  const answer = await fetch(`${exporter.url}/sd/servers${query}`);
  const type = 'application/json; charset=utf-8';
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  return (await answer.json()) as Group[];
}

const idsOf = (groups: readonly Group[]) => groups.map(({ labels }) => labels['__meta_cloud_id']!);
const sortedIds = (servers: readonly ServerRecord[]) => servers.map(({ id }) => id).toSorted();

async function start(servers = 60, settings: object = {}) {
  const parts = await exportCloud({ servers, settings });
  return { ...parts, servers: parts.fleet.servers.filter((server) => !server.pending_deleted) };
}

describe('/sd/servers', () => {
  it('has every server with an address at the port of node_exporter, by id, packed for who asks', async () => {
    const labels = { team: 'metadata.user:team' };
    const { exporter, servers } = await start(300, { page_size: 20, labels });
    const groups = await groupsOf(exporter);
    const reachable = servers.filter(({ ips }) => ips !== '');
    expect(reachable.length).toBeLessThan(servers.length);
    expect(idsOf(groups)).toEqual(sortedIds(reachable));
    for (const { targets, labels } of groups) {
      const server = servers.find(({ id }) => id === labels['__meta_cloud_id']);
      expect(targets).toEqual([`${server!.ips.split(',')[0]}:9100`]);
    }
    // That of the documentation has the same labels in the same order.
    const [shown] = JSON.parse(`[${documented('json')[0]}]`) as Group[];
    expect(Object.keys(shown!.labels)).toEqual(Object.keys(groups[0]!.labels));
    const packed = await fetch(`${exporter.url}/sd/servers`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toEqual(groups);
  });

  it('takes the public address, IPv6 or the port that is asked for', async () => {
    const { exporter, servers } = await start();
    const open = servers.filter(({ eip }) => eip !== '');
    const publicly = await groupsOf(exporter, '?address=public&port=9182');
    expect(idsOf(publicly)).toEqual(sortedIds(open));
    const targets = open.map(({ eip }) => `${eip}:9182`).toSorted();
    expect(publicly.flatMap((group) => group.targets).toSorted()).toEqual(targets);
    const modern = servers.filter(({ nics }) => nics.some(({ ip6_addr }) => ip6_addr !== ''));
    const six = await groupsOf(exporter, '?address=ipv6');
    expect(idsOf(six)).toEqual(sortedIds(modern));
    for (const { targets } of six) expect(targets[0]).toMatch(/^\[fd00::[0-9a-f]+\]:9100$/);
  });

  it('takes the card in the network asked for, asks the cards where `ips` is empty, and leaves out what is no address', async () => {
    const { cloud, exporter, servers } = await start(6);
    const [many, bare, odd, mixed, ...rest] = servers;
    const card = { ...many!.nics[0]!, network_id: 'front', ip_addr: '10.1.0.1', ip6_addr: '' };
    const other = { ...card, network_id: 'management', ip_addr: '10.2.0.1', ip6_addr: 'fd00::21' };
    cloud.fleet.change(many!.id, { nics: [card, other], ips: '10.1.0.1,10.2.0.1' });
    cloud.fleet.change(bare!.id, { ips: '', nics: [{ ...card, network_id: 'own', ip_addr: '10.3.0.1' }] });
    cloud.fleet.change(odd!.id, { ips: 'pending', nics: [{ ...card, ip_addr: '10.3.0.0/24' }] });
    cloud.fleet.change(mixed!.id, { ips: 'fd00::5, 10.4.0.1', nics: [] });
    cloud.fleet.remove(rest.map(({ id }) => id));
    for (const [query, targets] of Object.entries({
      '': ['10.1.0.1:9100', '10.3.0.1:9100', '10.4.0.1:9100'],
      'network=management': ['10.2.0.1:9100'],
      'network=management&address=ipv6': ['[fd00::21]:9100'],
      'network=front&address=ipv6': [],
      'network=nowhere': [],
    })) {
      const groups = await groupsOf(exporter, `?${query}`);
      expect(groups.flatMap((group) => group.targets).toSorted(), query).toEqual(targets);
    }
  });

  it('is filtered by any fact and label; repeated, it means any of them', async () => {
    const { cloud, exporter, servers } = await start(150, { labels: { team: 'metadata.user:team' } });
    const reachable = servers.filter(({ ips }) => ips !== '');
    const expectFound = async (query: string, found: readonly ServerRecord[]) =>
      expect(idsOf(await groupsOf(exporter, query)), query).toEqual(sortedIds(found));
    const filters: Record<string, (server: ServerRecord) => string> = {
      status: (server) => server.status,
      project: (server) => server.project,
      os_type: (server) => server.os_type,
      team: (server) => server.metadata['user:team']!,
    };
    for (const [name, valueOf] of Object.entries(filters)) {
      const [first, second] = new Set(reachable.map(valueOf));
      for (const wanted of [[first!], [first!, second!]]) {
        const query = wanted.map((value) => `${name}=${encodeURIComponent(value)}`).join('&');
        const having = reachable.filter((server) => wanted.includes(valueOf(server)));
        await expectFound(`?${query}`, having);
      }
    }
    const isChosen = ({ status, project }: ServerRecord) =>
      ['running', 'rescue', 'block_stream'].includes(status) && project === 'web';
    expect(reachable.some(isChosen)).toBe(true);
    await expectFound('?state=running&project=web', reachable.filter(isChosen));
    await expectFound('?project=nobody', []);
    // What is in the recycle bin is left out unless it is asked for.
    const bin = cloud.fleet.servers.filter(({ ips, pending_deleted }) => ips !== '' && pending_deleted);
    expect(bin.length).toBeGreaterThan(0);
    for (const query of ['?pending_deleted=true', '?state=pending_deletion']) await expectFound(query, bin);
    await expectFound('', reachable);
  });

  it('answers 400 to what it does not understand, with what to write instead', async () => {
    const { cloud, exporter } = await start(3);
    for (const [query, words] of [
      ['stat=running', 'unknown parameter stat; known: cloud, address'],
      ['team=web', 'unknown parameter team; known: cloud, address, network, port, id, name'],
      ['state=runing', 'unknown state runing; known: running, '],
      ['address=pubic', 'unknown address pubic; known: private, public, ipv6'],
      ['address=public&network=front', 'network goes with address=private or address=ipv6'],
      ['port=http', 'port must be a number from 1 to 65535, not http'],
      ['port=0', 'port must be a number'],
      ['port=65536', 'port must be a number'],
      ['port=80&port=81', 'port may be given once'],
    ]) {
      const answer = await fetch(`${exporter.url}/sd/servers?${query}`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words!)]);
    }
    expect(cloud.journal.count()).toBe(0);
  });
});

describe('what /sd/servers knows', () => {
  it('is the last good list until it is older than max_stale, and else an error, so that Prometheus keeps its targets', async () => {
    const parts = { servers: 5, clock: createShortPauses(), settings: { max_stale: '10m' } };
    const { clock, cloud, exporter } = await exportCloud(parts);
    await exporter.text('/metrics');
    const broken = { operation: 'list', fault: { kind: 'status', code: 403 } } as const;
    const fault = cloud.faults.set(broken);
    const expectNothing = async () => {
      const answer = await fetch(`${exporter.url}/sd/servers`);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toMatch(
        /servers of one are not known \(the latest collection failed: forbidden\); see .*debug=true\n$/,
      );
    };
    await expectNothing();
    fault.clear();
    const before = await groupsOf(exporter);
    cloud.faults.set(broken);
    await clock.advance(9 * minuteMs);
    expect(await groupsOf(exporter)).toEqual(before);
    await clock.advance(2 * minuteMs);
    await expectNothing();
  });

  it('comes from the list of the latest scrape, if that is no older than a minute', async () => {
    const { clock, cloud, exporter } = await exportCloud({ servers: 5, clock: createShortPauses() });
    await groupsOf(exporter);
    cloud.journal.clear();
    const [added] = cloud.fleet.create(1, { ips: '10.200.0.1' });
    expect(idsOf(await groupsOf(exporter))).not.toContain(added!.id);
    expect(cloud.journal.count('list')).toBe(0);
    await exporter.text('/metrics');
    const requests = cloud.journal.count('list');
    expect(requests).toBeGreaterThan(0);
    expect(idsOf(await groupsOf(exporter))).toContain(added!.id);
    expect(cloud.journal.count('list')).toBe(requests);
    await clock.advance(61_000);
    await groupsOf(exporter);
    expect(cloud.journal.count('list')).toBeGreaterThan(requests);
  });
});

it('/sd/clouds names each cloud at the address that was asked, if the Host header is one', async () => {
  const { exporter } = await exportCloud({ servers: 1 });
  const ask = (host: string) => request(exporter.url).get('/sd/clouds').set('Host', host);
  const named = { __param_cloud: 'one', __meta_cloud_name: 'one', instance: 'one' };
  const labels = { __metrics_path__: '/probe', ...named };
  for (const host of ['exporter.example.com', 'exporter.example.com:10700', '[2001:db8::1]:10700'])
    expect((await ask(host).expect(200)).body).toEqual([{ targets: [host], labels }]);
  for (const host of ["x'] evil", '<script>', 'a'.repeat(300)])
    await ask(host).expect(400, 'the Host header names no host\n');
});
