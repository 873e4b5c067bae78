import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Every series is there once a minute. */
export const lookBackSeconds = 90;

/** A Prometheus that scrapes nothing and answers from the blocks of this folder, however old they are. */
export async function openHistory(
  prometheus: string,
  folder: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const config = join(folder, 'nothing.yml');
  await writeFile(config, '{}');
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    '--storage.tsdb.retention.time=1000d',
    // A scrape marks what is gone, history does not: what is older than the last minute must be gone by itself.
    `--query.lookback-delta=${lookBackSeconds}s`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn(prometheus, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  const isReady = new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('Server is ready to receive web requests')) resolve();
    });
  });
  const ended = exited.then(() => {
    throw new Error(`Prometheus ended:\n${said.slice(-5).join('\n')}`);
  });
  await Promise.race([isReady, ended]);
  return {
    url: `http://${address}`,
    async stop() {
      child.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
