import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { freePort } from '../../test/support/loopback.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { startPart, type Part } from './part.ts';
import { ownMetric } from './store.ts';

export interface Day {
  readonly scrapes: number;
  readonly samples: number;
  /** Of the samples, and of the index of their series. */
  readonly sampleBytes: number;
  readonly indexBytes: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const cloudName = 'day';

/** What the store keeps of one day of a cloud that lives: a scrape each simulated minute, as fast as they can be had. */
export async function storeDay({
  servers,
  main,
  folder,
}: {
  readonly servers: number;
  readonly main: string;
  readonly folder: string;
}): Promise<Day> {
  const fleet = createFleet({ servers });
  const cloud = await startSimulatedCloud({ fleet });
  const file = join(folder, 'day.yml');
  writeFileSync(file, stringify({ clouds: { [cloudName]: settingsFor(cloud) } }));
  const exporter = await startExporter(main, file);
  const store = await startStore(folder);
  try {
    const startedAt = Date.now();
    // The store takes nothing from the future, so that the day is put where yesterday was.
    for (let passed = 0; passed < dayMs; passed += minuteMs) {
      fleet.live(startedAt + passed);
      const text = await (await fetch(`${exporter.url}/probe?cloud=${cloudName}`)).text();
      const at = startedAt - dayMs + passed;
      await fetch(`${store.url}/api/v1/import/prometheus?timestamp=${at}`, { method: 'POST', body: text });
    }
    const own = (line: RegExp) => ownMetric(store.url, line);
    await fetch(`${store.url}/internal/force_flush`);
    await fetch(`${store.url}/internal/force_merge`);
    do await wait(500);
    while ((await own(/^vm_active_merges/)) > 0);
    return {
      scrapes: dayMs / minuteMs,
      samples: await own(/^vm_rows\{type="storage/),
      sampleBytes: await own(/^vm_data_size_bytes\{type="storage/),
      indexBytes: await own(/^vm_data_size_bytes\{type="indexdb/),
    };
  } finally {
    await exporter.end('SIGKILL');
    await store.end('SIGKILL');
    await cloud.close();
  }
}

async function startExporter(main: string, file: string): Promise<Part> {
  const port = await freePort('127.0.0.1');
  return startPart({
    name: 'exporter',
    command: process.execPath,
    arguments: [main, `--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    port,
    readyPath: '/-/ready',
  });
}

async function startStore(folder: string): Promise<Part> {
  const port = await freePort('127.0.0.1');
  return startPart({
    name: 'VictoriaMetrics',
    command: 'victoria-metrics',
    arguments: [`-storageDataPath=${join(folder, 'store')}`, `-httpListenAddr=127.0.0.1:${port}`],
    port,
    readyPath: '/health',
  });
}
