import { describe, expect, it } from 'vitest';
import { cloudFamilies } from '../../src/metrics/page.ts';
import { parseExposition } from '../support/exposition.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { toldOf } from './told.ts';

/** Families that carry the extra labels, and so must not have one of their own by that name. */
const extended = cloudFamilies.filter(({ labels }) => labels.includes('project_domain'));

describe('extra labels', () => {
  it('are taken from a field and from metadata, on every family with a place', async () => {
    const labels = { team: 'metadata.user:team', os: 'os_type', owner_domain: 'manager_domain' };
    const { fleet, scrape } = await exportCloud({ servers: 80, settings: { labels, per_server: true } });
    const parsed = await scrape();
    const present = extended.filter(({ name }) => parsed.families.has(name));
    expect(present.length).toBeGreaterThanOrEqual(9);
    const names = expect.arrayContaining(Object.keys(labels)) as string[];
    for (const { name } of present) expect(Object.keys(parsed.of(name)[0]!.labels), name).toEqual(names);
    for (const team of new Set(fleet.servers.map((server) => server.metadata['user:team']!))) {
      const servers = fleet.servers.filter((server) => server.metadata['user:team'] === team);
      expect(parsed.sum('cloud_servers', { team })).toBe(servers.length);
      const linux = servers.filter((server) => server.os_type === 'Linux');
      expect(parsed.sum('cloud_servers', { team, os: 'Linux' })).toBe(linux.length);
    }
    expect(parsed.sum('cloud_servers')).toBe(80);
  });

  it('differ from cloud to cloud, are empty where there is no text, and only some need metadata', async () => {
    const cloud = await simulate({ servers: 9 });
    const odd = { b: 'no_such_field', c: 'vcpu_count' };
    const exporter = await runExporter({
      one: settingsFor(cloud, { labels: odd }),
      two: settingsFor(cloud, { labels: { ...odd, a: 'metadata.no such key' } }),
    });
    const one = parseExposition(await exporter.text('/probe?cloud=one'));
    expect(one.sum('cloud_servers', { b: '', c: '' })).toBe(9);
    expect(one.of('cloud_servers').filter(({ labels }) => 'a' in labels)).toEqual([]);
    expect(cloud.journal.of('list').filter(({ query }) => 'with_meta' in query)).toEqual([]);
    const two = parseExposition(await exporter.text('/probe?cloud=two'));
    expect(two.sum('cloud_servers', { a: '', b: '', c: '' })).toBe(9);
    expect(cloud.journal.of('list').some(({ query }) => query['with_meta'] === 'true')).toBe(true);
  });

  it('of single servers are on these alone', async () => {
    const info_labels = { owner: 'metadata.user:owner', manager: 'manager', vpc: 'vpc_id' };
    const settings = { info_labels, labels: { os: 'os_type' }, per_server: true };
    const { fleet, scrape } = await exportCloud({ servers: 80, settings });
    const parsed = await scrape();
    const withInfo = parsed.samples.filter(({ labels }) => 'owner' in labels);
    const names = new Set(withInfo.map(({ name }) => name));
    expect(names).toEqual(new Set(['cloud_server_info', 'cloud_server_problem']));
    expect(withInfo.length).toBe([...names].reduce((sum, name) => sum + parsed.of(name).length, 0));
    for (const { id, metadata, manager } of fleet.servers)
      expect(parsed.value('cloud_server_info', { id, owner: metadata['user:owner']!, manager }), id).toBe(1);
  });

  it('cannot be of all sums and of single servers as well', async () => {
    const twice = { labels: { os: 'os_type', a: 'x' }, info_labels: { os: 'brand' } };
    expect(await toldOf({ clouds: { one: { auth_url: 'https://a', token: 'x', ...twice } } })).toEqual([
      expect.stringMatching(/^FILE:\d+: clouds\.one\.info_labels: os is in labels, too; /),
    ]);
  });

  const ofUse = 'is a label that the exporter uses';
  const ofPrometheus = 'is not a label name that Prometheus accepts';
  const ofSource = 'neither a field nor metadata.KEY';
  const secret = ['login_key', 'login_account', 'login_key_timestamp', '__sys'];
  const ofSecrets = 'holds login secrets of the server and is never exported';

  it.each([
    ...[...new Set(extended.flatMap(({ labels }) => labels))].map((name) => [name, 'name', ofUse]),
    ...['__name__', '__meta', '1st', 'a-b', 'a b', ''].map((name) => [name, 'name', ofPrometheus]),
    ...['metadata.', 'Metadata.x', 'os type', 'disks[0].size', '../id'].map((from) => ['a', from, ofSource]),
    ...secret.map((key) => ['a', `metadata.${key}`, ofSecrets]),
  ] as [string, string, string][])('cannot be %o from %o: each is told %s', async (name, source, words) => {
    const labels = { fine: 'os_type', [name]: source, 'not-fine': 'os_type' };
    const access = { auth_url: 'https://a', token: 'x' };
    for (const key of ['labels', 'info_labels']) {
      const told = await toldOf({ clouds: { one: { ...access, [key]: labels } } });
      const others = expect.stringContaining(`.${key}.not-fine: `) as string;
      expect(told).toEqual([expect.stringContaining(words), others]);
      expect(told[0]).toMatch(new RegExp(`^FILE:\\d+: clouds\\.one\\.${key}\\.`));
    }
  });
});
