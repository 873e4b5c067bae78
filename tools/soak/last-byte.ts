import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { ask } from '../../test/dashboards/timeline/open-history.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { freePort, ownAddress } from '../../test/support/loopback.ts';
import { startUntilReady, type ReadyProgram } from '../../test/support/ready-program.ts';
import { settingsFor } from '../../test/support/settings.ts';
import type { Outcome } from './weather.ts';

const timeoutSeconds = 10;
const scrapesUnderHang = 4;

/**
 * A real Prometheus with its usual timeout, an exporter with `per_server`, and a list that hangs: the last byte of the
 * last good numbers has to be there in time.
 */
export async function soakLastByte(servers: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'last-byte-'));
  const cloud = await startSimulatedCloud({ fleet: createFleet({ servers, now: Date.now }) });
  const running: ReadyProgram[] = [];
  const [exporter, prometheus] = [
    `${ownAddress}:${await freePort()}`,
    `${ownAddress}:${await freePort()}`,
  ] as const;
  const query = async (expression: string): Promise<number> => {
    type Row = { readonly value: [number, string] };
    const [row] = await ask<Row>(`http://${prometheus}`, 'query', { query: expression });
    return Number(row?.value[1] ?? Number.NaN);
  };

  try {
    const settings = settingsFor(cloud, { per_server: true, series_limit: 20 * servers, max_stale: '1h' });
    await writeFile(join(folder, 'clouds.yml'), stringify({ clouds: { one: settings } }));
    const scrape = { job_name: 'clouds', honor_labels: true, static_configs: [{ targets: [exporter] }] };
    const times = { scrape_interval: `${timeoutSeconds}s`, scrape_timeout: `${timeoutSeconds}s` };
    await writeFile(join(folder, 'prometheus.yml'), stringify({ global: times, scrape_configs: [scrape] }));
    const listen = `--web.listen-address=${exporter}`;
    const flags = ['dist/main.js', `--config.file=${folder}/clouds.yml`, listen];
    running.push(await startUntilReady(process.execPath, flags, /listening/));
    const ofPrometheus = [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${prometheus}`,
    ];
    running.push(await startUntilReady('prometheus', ofPrometheus, /Server is ready/));
    while ((await query('count(cloud_server_info)')) !== servers) await wait(1000);
    const isHanging = Date.now();
    cloud.hooks.beforePage = () => new Promise(() => undefined);
    await wait((scrapesUnderHang + 1) * timeoutSeconds * 1000);
    const seconds = Math.floor((Date.now() - isHanging) / 1000);
    const during = (expression: string) => query(expression.replace('RANGE', `${seconds}s`));
    const figures = {
      servers: await query('count(cloud_server_info)'),
      'scrapes while the list hung': await during('count_over_time(up[RANGE])'),
      'of which Prometheus had the whole answer': await during('sum_over_time(up[RANGE])'),
      'seconds of the longest': await during('max_over_time(scrape_duration_seconds[RANGE])'),
      'seconds that the numbers were old': await query('time() - cloud_snapshot_timestamp_seconds'),
    };
    const [, scrapes, whole] = Object.values(figures);
    const faults = [
      ...(scrapes! >= scrapesUnderHang - 1 && scrapes === whole ? [] : ['an answer was not there in time']),
      ...(figures.servers === servers ? [] : ['not every server was reported']),
    ];
    return { figures, faults };
  } finally {
    for (const program of running) await program.stop();
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  }
}
