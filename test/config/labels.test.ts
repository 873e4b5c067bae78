import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/load.ts';
import { cloudFamilies } from '../../src/metrics/page.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { configOf, runExporter, simulate } from '../support/simulated.ts';

const account = {
  auth_url: 'https://cloud.example.com:30500/v3',
  username: 'exporter',
  password: 'not-a-real-one',
};

async function problemsWith(labels: unknown): Promise<readonly string[]> {
  try {
    await configOf({ one: { ...account, labels } });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Families that carry the extra labels, and so must not have one of their own by that name. */
const extended = cloudFamilies.filter(({ labels }) => labels.includes('project_domain'));

describe('extra labels', () => {
  it('are taken from a field and from metadata, on every family with a place', async () => {
    const cloud = await simulate({ servers: 80 });
    const labels = { team: 'metadata.user:team', os: 'os_type', owner_domain: 'manager_domain' };
    const exporter = await runExporter({ one: settingsFor(cloud, { labels, per_server: true }) });
    const parsed = parseExposition(await exporter.text('/metrics'));
    const present = extended.filter(({ name }) => parsed.families.has(name));
    expect(present.length).toBeGreaterThanOrEqual(9);
    for (const { name } of present)
      expect(Object.keys(parsed.of(name)[0]!.labels), name).toEqual(
        expect.arrayContaining(['team', 'os', 'owner_domain']),
      );
    for (const team of new Set(cloud.fleet.servers.map((server) => server.metadata['user:team']!))) {
      const servers = cloud.fleet.servers.filter((server) => server.metadata['user:team'] === team);
      expect(parsed.sum('cloud_servers', { team })).toBe(servers.length);
      const linux = servers.filter((server) => server.os_type === 'Linux');
      expect(parsed.sum('cloud_servers', { team, os: 'Linux' })).toBe(linux.length);
    }
    expect(parsed.sum('cloud_servers')).toBe(80);
  });

  it('are empty where the server has no such value, and where it is not a text', async () => {
    const cloud = await simulate({ servers: 12 });
    const labels = { a: 'metadata.no such key', b: 'no_such_field', c: 'vcpu_count', d: 'metadata' };
    const exporter = await runExporter({ one: settingsFor(cloud, { labels }) });
    const parsed = parseExposition(await exporter.text('/metrics'));
    expect(parsed.sum('cloud_servers', { a: '', b: '', c: '', d: '' })).toBe(12);
  });

  it('make the exporter ask for metadata only if one of them is of it', async () => {
    const cloud = await simulate({ servers: 5 });
    const without = await runExporter({ one: settingsFor(cloud, { labels: { os: 'os_type' } }) });
    await without.text('/metrics');
    expect(cloud.journal.of('list').filter(({ query }) => 'with_meta' in query)).toEqual([]);
    const labels = { team: 'metadata.user:team' };
    const withIt = await runExporter({ one: settingsFor(cloud, { labels }) });
    await withIt.text('/metrics');
    expect(cloud.journal.of('list').at(-1)?.query['with_meta']).toBe('true');
  });

  it('may differ from cloud to cloud', async () => {
    const cloud = await simulate({ servers: 9 });
    const exporter = await runExporter({
      one: settingsFor(cloud, { labels: { os: 'os_type' } }),
      two: settingsFor(cloud, { labels: { team: 'metadata.user:team' } }),
    });
    const parsed = parseExposition(await exporter.text('/metrics'));
    for (const { labels } of parsed.of('cloud_servers'))
      expect([labels['cloud'], 'os' in labels, 'team' in labels]).toEqual(
        labels['cloud'] === 'one' ? ['one', true, false] : ['two', false, true],
      );
  });

  it.each([...new Set(extended.flatMap(({ labels }) => labels))])(
    'may not be called %s, which a family uses already',
    async (label) => {
      expect(await problemsWith({ [label]: 'description' })).toEqual([
        expect.stringMatching(new RegExp(`labels\\.${label}: ${label} is a label that the exporter uses`)),
      ]);
    },
  );

  it.each(['__name__', '__meta', '1st', 'a-b', 'a b', ''])(
    'may not be called %o, which Prometheus would not take',
    async (label) => {
      expect(await problemsWith({ [label]: 'description' })).toEqual([
        expect.stringContaining('is not a label name that Prometheus accepts'),
      ]);
    },
  );

  it.each(['metadata.', 'Metadata.x', 'os type', 'disks_info[0].size', '../id'])(
    'may not come from %o',
    async (source) => {
      expect(await problemsWith({ team: source })).toEqual([
        expect.stringContaining('neither a field nor metadata.KEY'),
      ]);
    },
  );

  it('are judged all at once, each with its place in the file', async () => {
    const problems = await problemsWith({ cloud: 'os_type', team: 'metadata.login_key', 'a-b': 'os_type' });
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(problem).toMatch(/clouds\.yml:\d+: clouds\.one\.labels\./);
  });
});

describe('the login secrets that the platform keeps in metadata', () => {
  it.each(['login_key', 'login_account', 'login_key_timestamp', '__sys'])(
    'cannot be made a label from %s',
    async (key) => {
      expect(await problemsWith({ access: `metadata.${key}` })).toEqual([
        expect.stringContaining(`metadata.${key} holds login secrets of the server and is never exported`),
      ]);
    },
  );

  it.each(['document', 'platform'] as const)(
    'are in no answer and in no log line, in the dialect of the %s',
    async (dialect) => {
      const cloud = await simulate({ servers: 40, dialect });
      const labels = { team: 'metadata.user:team' };
      const settings = settingsFor(cloud, { labels, per_server: true, page_size: 7 });
      const exporter = await runExporter({ one: settings }, { logLevel: 'debug' });
      const paths = ['/metrics', '/probe?cloud=one', '/probe?cloud=one&debug=true', '/sd/servers', '/'];
      const told = [];
      for (const path of paths) told.push(await exporter.text(path));
      expect(told[0]).toContain('team="');
      expect(told[3]).toContain('"__meta_cloud_label_team":"');
      const everything = [...told, exporter.logged()].join('\n');
      const secrets = cloud.fleet.servers.map(({ metadata }) => metadata['login_key']!);
      expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
      expect(everything).not.toMatch(/login_key|login_account|secret-[0-9a-f]/);
      const others = ['cost_center', 'user:owner'].flatMap((key) =>
        cloud.fleet.servers.map(({ metadata }) => metadata[key]!),
      );
      expect(others.filter((value) => everything.includes(value))).toEqual([]);
    },
  );
});
