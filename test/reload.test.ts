import { Agent } from 'node:http';
import { queryObjects } from 'node:v8';
import { writeFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError, loadConfig } from '../src/config/load.ts';
import { exporterAccount } from '../src/simulator/accounts.ts';
import { eventually } from './simulator/raw-request.ts';
import { exportCloud } from './support/exported-cloud.ts';
import { parseExposition, type Parsed } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { createShortPauses } from './support/manual-clock.ts';
import { settingsFor } from './support/settings.ts';
import {
  configOf,
  runExporter,
  simulate,
  temporaryFolder,
  type RunningExporter,
} from './support/simulated.ts';

const scrape = async ({ text }: RunningExporter) => parseExposition(await text('/metrics'));
const namesIn = (parsed: Parsed) => parsed.of('cloud_up').map(({ labels }) => labels['cloud']);

describe('a reload', () => {
  it('lets a scrape end that waits for a cloud which it changes', async () => {
    const { cloud, exporter } = await exportCloud({ servers: 12 });
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const scraped = scrape(exporter);
    await eventually(() => cloud.journal.count('list') === 1);
    await exporter.write({ one: settingsFor(cloud, { page_size: 5 }) });
    expect(await exporter.reload()).toEqual([]);
    gate.open();
    const parsed = await scraped;
    expect([parsed.value('cloud_up'), parsed.sum('cloud_servers')]).toEqual([1, 12]);
  });

  it('tries a login at once that was held back after refusals', async () => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, 'wrong\n');
    const settings = { password: undefined, password_file: file };
    const { cloud, exporter } = await exportCloud({ servers: 3, clock: createShortPauses(), settings });
    const up = async () => (await scrape(exporter)).value('cloud_up');
    expect([await up(), await up(), cloud.journal.count('login')]).toEqual([0, 0, 1]);
    await writeFile(file, `${exporterAccount.password}\n`);
    expect([await up(), cloud.journal.count('login')]).toEqual([0, 1]);
    expect(await exporter.reload()).toEqual([]);
    expect([await up(), cloud.journal.count('login')]).toEqual([1, 2]);
  });

  it('waits for the one before it, and the last file wins', async () => {
    const cloud = await simulate({ servers: 3 });
    const names = ['first', 'second', 'third'];
    const configs = await Promise.all(names.map((name) => configOf({ [name]: settingsFor(cloud) })));
    const gates = names.map(createGate);
    const events: string[] = [];
    async function load() {
      const turn = events.length / 2;
      events.push(`begin ${turn}`);
      await gates[turn]!.passed;
      events.push(`end ${turn}`);
      if (turn === 1) throw new ConfigError(['bad']);
      return configs[turn]!;
    }
    const exporter = await runExporter({ first: settingsFor(cloud) }, { loadConfig: load });
    const reloads = names.map(() => exporter.reload());
    for (const gate of gates.toReversed()) gate.open();
    expect(await Promise.all(reloads)).toEqual([[], ['bad'], []]);
    expect(events).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
    expect(namesIn(await scrape(exporter))).toEqual(['third']);
  });

  it('of a folder goes file by file: a cloud that did not change keeps token and snapshot, and with lenience a bad file is left out and counted', async () => {
    const clouds = [await simulate({ servers: 1 }), await simulate({ servers: 2 })];
    const folder = await temporaryFolder();
    const write = async (index: number, more: object = {}) => {
      const cloud = { [`cloud-${index}`]: settingsFor(clouds[index]!, { max_age: '1h', ...more }) };
      await writeFile(join(folder, `${index}.yml`), stringify({ clouds: cloud }));
      return cloud;
    };
    const load = () => loadConfig({ file: folder, environment: {}, isLenient: true });
    const exporter = await runExporter({ ...(await write(0)), ...(await write(1)) }, { loadConfig: load });
    const reloaded = async () => {
      expect(await exporter.reload()).toEqual([]);
      return scrape(exporter);
    };
    await scrape(exporter);
    await write(1, { page_size: 9 });
    expect((await reloaded()).sum('cloud_servers')).toBe(3);
    expect(clouds.map(({ journal }) => journal.count('login'))).toEqual([1, 2]);
    expect(clouds.map(({ journal }) => journal.count('list'))).toEqual([1, 2]);

    await writeFile(join(folder, '1.yml'), 'clouds: [');
    const left = await reloaded();
    expect(namesIn(left)).toEqual(['cloud-0']);
    expect(left.value('cloud_exporter_config_files_rejected')).toBe(1);
    expect(left.value('cloud_exporter_config_last_reload_successful')).toBe(1);
    expect(exporter.logged()).toContain('a bad file of the configuration is left out');
    await write(1);
    expect((await reloaded()).value('cloud_exporter_config_files_rejected')).toBe(0);
    expect(clouds[0]!.journal.count('login')).toBe(1);
  });
});

it('fifty reloads leave no cloud, connection, registry, series or listener behind', async () => {
  const cloud = await simulate({ servers: 4 });
  const same = settingsFor(cloud);
  const [even, odd] = ['even', 'odd'].map((name) => ({
    same,
    [name]: same,
    changing: settingsFor(cloud, { region_name: name }),
  }));
  let loads = 0;
  const load = () => configOf((loads += 1) % 2 === 0 ? even! : odd!);
  const exporter = await runExporter(even!, { loadConfig: load });
  const seen = async () => ({
    series: (await scrape(exporter)).samples.filter(({ name }) => name.startsWith('cloud_')).length,
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
  });
  const things = () => ({
    registries: queryObjects(Registry, { format: 'count' }),
    agents: queryObjects(Agent, { format: 'count' }),
    resources: process.getActiveResourcesInfo().length,
  });
  const reload = async (times: number) => {
    for (let index = 0; index < times; index += 1) expect(await exporter.reload()).toEqual([]);
  };

  await reload(2);
  const exact = await seen();
  const before = things();
  await reload(50);
  expect(await seen()).toEqual(exact);
  const after = things();
  // A leak would count in fifty and more; a few come and go with connections of this test itself.
  for (const [name, number] of Object.entries(before)) {
    expect(number, name).toBeGreaterThan(0);
    expect(after[name as keyof typeof after], name).toBeLessThan(number + 20);
  }
});
