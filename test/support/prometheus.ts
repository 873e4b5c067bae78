import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from './free-port.ts';
import { pathOf } from './real-parts.ts';
import { temporaryFolder } from './simulated.ts';

export { freePort } from './free-port.ts';

export interface RunningPrometheus {
  readonly url: string;
  /** The answer of its HTTP API, below /api/v1/. */
  api<Data>(path: string): Promise<Data>;
  query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  /** Asks until the answer is right; the test's own timeout is the limit. */
  until<Data>(ask: () => Promise<Data>, isRight: (data: Data) => boolean): Promise<Data>;
}

/** A real Prometheus with this configuration, in a folder of its own; it ends with the test. */
export async function startPrometheus(
  config: object,
  flags: readonly string[] = [],
): Promise<RunningPrometheus> {
  const folder = await temporaryFolder();
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, stringify(config));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    pathOf('prometheus'),
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const words: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString()));
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  async function until<Data>(ask: () => Promise<Data>, isRight: (data: Data) => boolean): Promise<Data> {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`prometheus ended: ${words.join('')}`);
      const data = await ask().catch(() => undefined);
      if (data !== undefined && isRight(data)) return data;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function api<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const { data, error } = (await answer.json()) as { data: Data; error?: string };
    if (error) throw new Error(error);
    return data;
  }

  await until(
    () => fetch(`${url}/-/ready`),
    ({ ok }) => ok,
  );
  return {
    url,
    api,
    until,
    query: async (expression) =>
      (
        await api<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
          `query?query=${encodeURIComponent(expression)}`,
        )
      ).result,
  };
}
