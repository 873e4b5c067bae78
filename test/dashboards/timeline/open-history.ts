import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, ownAddress } from '../../support/loopback.ts';
import { startUntilReady } from '../../support/ready-program.ts';

/** Every series is there once a minute. */
export const lookBackSeconds = 90;

/** A Prometheus that scrapes nothing and answers from the blocks of this folder, however old they are. */
export async function openHistory(
  prometheus: string,
  folder: string,
): Promise<{ url: string; stop(): Promise<void> }> {
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
  const { stop } = await startUntilReady(prometheus, flags, /Server is ready to receive web requests/);
  return { url: `http://${address}`, stop };
}
