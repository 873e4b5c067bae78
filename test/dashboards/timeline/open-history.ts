import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, ownAddress } from '../../support/loopback.ts';
import { startUntilReady } from '../../support/ready-program.ts';

/** Every series is there once a minute. */
export const lookBackSeconds = 90;

/** What a Prometheus, or what speaks like it, answers. */
export async function ask<Series>(url: string, path: string, parameters: Record<string, string>) {
  const body = new URLSearchParams(parameters);
  const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', body });
  const { data, error } = (await response.json()) as { error?: string; data?: { result: Series[] } };
  if (!data) throw new Error(`${parameters['query']}: ${error}`);
  return data.result;
}

/** A Prometheus that scrapes nothing and answers from the blocks of this folder, however old they are. */
export async function openHistory(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const config = join(folder, 'nothing.yml');
  await writeFile(config, '{}');
  const address = `${ownAddress}:${await freePort()}`;
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    '--storage.tsdb.retention.time=1000d',
    // A scrape marks what is gone, history does not: what is older than the last minute must be gone by itself.
    `--query.lookback-delta=${lookBackSeconds}s`,
    `--web.listen-address=${address}`,
  ];
  const { stop } = await startUntilReady('prometheus', flags, /Server is ready to receive web requests/);
  return { url: `http://${address}`, stop };
}
