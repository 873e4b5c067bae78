import { describe, expect, test } from 'vitest';
import type { Release } from '../../src/simulator/answer.ts';
import { capturedAnswer, capturedTarget } from './captures.ts';
import { getServers, listOf, startCloud, takeToken } from './raw-request.ts';

const releases: readonly Release[] = ['3.10', '3.11', '4.0'];

async function ask(query: string, release: Release = '3.10', servers = 400) {
  const cloud = await startCloud({ release, servers });
  const answer = listOf(await getServers(cloud, await takeToken(cloud), `scope=system&${query}`));
  return { ...answer, cloud };
}

function keysOf(servers: readonly object[]): Set<string> {
  return new Set(servers.flatMap((server) => Object.keys(server)));
}

const columns = (
  'id name status hypervisor vcpu_count vmem_size host_id tenant_id domain_id billing_type auto_renew ' +
  'instance_type created_at updated_at update_version pending_deleted power_states'
).split(' ');
const lookedUp = (
  'region zone host project tenant project_domain host_status host_service_status disk disk_count disks_info ' +
  'isolated_devices is_gpu ips nics eip brand metadata cloudregion provider'
).split(' ');

describe.each(releases)('the list of %s', (release) => {
  test.each(['field', 'nodetails-field'])('has with %s= the fields that were captured', async (name) => {
    const capture = `releases/${release}-servers-${name}-limit_3`;
    const query = new URLSearchParams(capturedTarget(capture).split('?')[1]);
    query.delete('limit');
    const { servers } = await ask(query.toString(), release);
    const asked = new Set(query.getAll('field'));
    const captured = keysOf(capturedAnswer(capture).json['servers'] as object[]);
    const sent = keysOf(servers);
    expect([...captured].filter((key) => !sent.has(key))).toEqual([]);
    expect([...sent].filter((key) => !asked.has(key))).toEqual([]);
  });

  test('has without details the columns, and nothing that is looked up', async () => {
    const { servers } = await ask('details=false', release);
    for (const server of servers) {
      expect(columns.filter((key) => !(key in server) && key !== 'host_id')).toEqual([]);
      expect(lookedUp.filter((key) => key in server)).toEqual([]);
    }
    expect(keysOf(servers)).toContain('host_id');
    const captured = capturedAnswer(`releases/${release}-servers-nodetails-limit_3`).json[
      'servers'
    ] as object[];
    const always = [...keysOf(captured)].filter((key) => captured.every((server) => key in server));
    expect(
      servers.flatMap((server) => always.filter((key) => !(key in server) && key !== 'host_id')),
    ).toEqual([]);
  });

  test('has on each server the same values with field= as without', async () => {
    const query = new URLSearchParams(
      capturedTarget(`releases/${release}-servers-field-limit_3`).split('?')[1],
    );
    query.delete('limit');
    const cloud = await startCloud({ release, servers: 300 });
    const token = await takeToken(cloud);
    const whole = listOf(await getServers(cloud, token, 'scope=system')).servers;
    const asked = listOf(await getServers(cloud, token, query.toString())).servers;
    const fields = new Set(query.getAll('field'));
    expect(asked).toEqual(
      whole.map((server) => Object.fromEntries(Object.entries(server).filter(([key]) => fields.has(key)))),
    );
  });
});

describe('field=', () => {
  test('without disk counts no disks', async () => {
    const { servers } = await ask('field=id&field=disk_count&field=disks_info');
    expect(servers.length).toBeGreaterThan(100);
    expect(keysOf(servers)).toEqual(new Set(['id', 'disk_count']));
    expect(new Set(servers.map(({ disk_count }) => disk_count))).toEqual(new Set([0]));
    const counted = (await ask('field=id&field=disk_count&field=disk')).servers;
    expect(counted.some(({ disk_count }) => Number(disk_count) > 1)).toBe(true);
  });

  test('without tenant knows no project', async () => {
    expect(keysOf((await ask('field=id&field=project')).servers)).toEqual(new Set(['id']));
    expect(keysOf((await ask('field=id&field=project&field=tenant')).servers)).toEqual(
      new Set(['id', 'project', 'tenant']),
    );
  });

  test('brings metadata on 3.10 only together with __meta__', async () => {
    expect(keysOf((await ask('field=id&field=metadata')).servers)).toEqual(new Set(['id']));
    const both = 'field=id&field=metadata&field=__meta__';
    expect(keysOf((await ask(both)).servers)).toEqual(new Set(['id', 'metadata']));
    expect(keysOf((await ask('field=id&field=metadata', '3.11')).servers)).toEqual(
      new Set(['id', 'metadata']),
    );
  });

  test('brings the id only if it is named, may be numbered, and takes a comma for part of a name', async () => {
    expect(keysOf((await ask('field=name')).servers)).toEqual(new Set(['name']));
    expect(keysOf((await ask('field.0=name&field.1=id')).servers)).toEqual(new Set(['name', 'id']));
    expect(keysOf((await ask('field=name,id')).servers)).toEqual(new Set());
  });

  test('follows a change of the server, in every view of it', async () => {
    const { cloud } = await ask('');
    const token = await takeToken(cloud);
    const id = cloud.fleet.servers[0]!.id;
    const views = ['', 'details=false', 'field=id&field=name', 'details=false&field=name&field=id'];
    const nameIn = async (view: string) =>
      listOf(await getServers(cloud, token, `scope=system&pending_delete=all&limit=1&${view}`)).servers[0]?.[
        'name'
      ];
    for (const view of views) expect(await nameIn(view)).toBe(cloud.fleet.servers[0]!.name);
    cloud.fleet.change(id, { name: 'renamed' });
    for (const view of views) expect(await nameIn(view)).toBe('renamed');
  });

  test('is not heard by the document', async () => {
    const cloud = await startCloud({ servers: 5 });
    const token = await takeToken(cloud);
    const { servers, total } = listOf(
      await getServers(cloud, token, 'field=id&filter=id.in(nobody)&delete=all&status=none&details=true'),
    );
    expect([servers.length, total]).toEqual([5, 5]);
    expect(Object.keys(servers[0]!).length).toBeGreaterThan(100);
  });
});
