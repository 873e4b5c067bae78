import { describe, expect, test } from 'vitest';
import type { Release } from '../../src/simulator/answer.ts';
import { capturedAnswer } from './captures.ts';
import { getServers, listOf, startCloud, takeToken } from './raw-request.ts';

const releases: readonly Release[] = ['3.10', '3.11', '4.0'];

async function list(release: Release, query = '', prepare?: (cloud: Cloud) => void) {
  const cloud = await startCloud({ release, servers: 300 });
  prepare?.(cloud);
  return listOf(await getServers(cloud, await takeToken(cloud), `scope=system${query}`));
}

type Cloud = Awaited<ReturnType<typeof startCloud>>;

describe.each(releases)('release %s', (release) => {
  test('has the envelope that was captured', async () => {
    for (const [capture, query] of [
      ['details-limit_3', '&limit=3'],
      ['nodetails-limit_3', '&limit=3&details=false'],
    ]) {
      const captured = capturedAnswer(`releases/${release}-servers-${capture}`).json;
      expect(Object.keys(await list(release, query))).toEqual(Object.keys(captured));
    }
  });

  test('sums up over all matches when it is asked to', async () => {
    expect(await list(release, '&summary_stats=true')).toHaveProperty('totals.cpu_count');
  });

  test('has its own word for a host that is up', async () => {
    const captured = capturedAnswer(`releases/${release}-servers-details-limit_3`).json['servers'] as Row[];
    const words = new Set((await list(release)).servers.map(({ host_status }) => host_status));
    expect(words).toContain(captured[0]!['host_status']);
    expect(words).toEqual(
      new Set([...(release === '4.0' ? ['running', 'unknown'] : ['online', 'offline']), undefined]),
    );
  });

  test('has its own word for a GPU', async () => {
    const devices = (await list(release)).servers.flatMap(
      ({ isolated_devices }) => (isolated_devices ?? []) as Row[],
    );
    const words = new Set(devices.map(({ dev_type }) => dev_type));
    expect([words.has('GPU'), words.has('GPU-HPC')]).toEqual(
      release === '4.0' ? [true, false] : [false, true],
    );
  });

  test('says in its own field when a server that is not paid in advance will be released', async () => {
    const ends = { expired_at: '2027-01-01T00:00:00.000000Z' };
    const { servers } = await list(release, '&details=false', ({ fleet }) => {
      fleet.change(fleet.servers[0]!.id, { billing_type: 'postpaid', pending_deleted: false, ...ends });
      fleet.change(fleet.servers[1]!.id, { billing_type: 'prepaid', pending_deleted: false, ...ends });
    });
    const [postpaid, prepaid] = servers;
    expect([postpaid?.['expired_at'], postpaid?.['release_at']]).toEqual(
      release === '3.10' ? [ends.expired_at, undefined] : [undefined, ends.expired_at],
    );
    expect([prepaid?.['expired_at'], prepaid?.['release_at']]).toEqual([ends.expired_at, undefined]);
  });
});

type Row = Record<string, unknown>;

test('power is what the status lets one expect, unless the server says otherwise', async () => {
  const statuses = ['running', 'ready', 'snapshot_failed', 'start_fail', 'unknown', 'sched_fail'];
  const { servers } = await list('3.11', '&details=false&pending_delete=all', ({ fleet }) => {
    for (const [index, status] of statuses.entries()) fleet.change(fleet.servers[index]!.id, { status });
    fleet.change(fleet.servers[6]!.id, { status: 'start_fail', power_states: 'on' });
  });
  expect(servers.slice(0, 7).map(({ power_states }) => power_states)).toEqual([
    'on',
    'off',
    'on',
    'off',
    'unknown',
    'unknown',
    'on',
  ]);
});
