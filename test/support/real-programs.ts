import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { freePort, ownAddress } from './loopback.ts';
import { startUntilReady } from './ready-program.ts';
import { pathOf } from './real-parts.ts';
import { temporaryFolder } from './simulated.ts';

/** Starts a program with its flags for an address of its own, which is answered; it ends with the test. */
async function start(
  part: string,
  readiness: RegExp,
  flagsAt: (address: string) => readonly string[],
): Promise<string> {
  const address = `${ownAddress}:${await freePort()}`;
  const { said, stop } = await startUntilReady(pathOf(part), flagsAt(address), readiness);
  onTestFinished(stop);
  onTestFailed(() => console.log(`${part}, before its test failed:\n${said()}`));
  return `http://${address}`;
}

export type Rows = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [seconds: number, value: string];
}[];

export type RunningPrometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** A Prometheus that reads its rules from a folder and stores there what it scrapes. */
export async function startPrometheus(config: object, inFolder?: string) {
  const folder = inFolder ?? (await temporaryFolder());
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, stringify(config));
  const url = await start('prometheus', /Server is ready to receive web requests/, (address) => [
    `--config.file=${file}`,
    `--storage.tsdb.path=${folder}/prometheus`,
    `--web.listen-address=${address}`,
    '--enable-feature=extra-scrape-metrics',
  ]);

  /** The answer of its HTTP API, below /api/v1/. */
  async function api<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const { data, error } = (await answer.json()) as { data: Data; error?: string };
    if (error) throw new Error(error);
    return data;
  }

  return {
    url,
    api,
    /** What a query finds now, or found at a moment: what was scraped then stays, whatever comes after it. */
    async query(expression: string, atSeconds?: number): Promise<Rows> {
      const parameters = { query: expression, ...(atSeconds !== undefined && { time: String(atSeconds) }) };
      return (await api<{ result: Rows }>(`query?${new URLSearchParams(parameters)}`)).result;
    },
    /** Asks until the answer is right. */
    async until<Data>(ask: () => Promise<Data>, isRight: (data: Data) => boolean): Promise<Data> {
      let latest: Data;
      await expect.poll(async () => (latest = await ask())).toSatisfy(isRight);
      return latest!;
    },
  };
}

export async function startAlertmanager(folder: string, configFile: string): Promise<string> {
  return start('prometheus-alertmanager', /Listening/, (address) => [
    `--config.file=${configFile}`,
    `--storage.path=${folder}/alertmanager`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
  ]);
}

export async function startVictoriaMetrics(folder: string, scrapeFile: string): Promise<string> {
  return start('victoria-metrics', /started VictoriaMetrics in/, (address) => [
    `-promscrape.config=${scrapeFile}`,
    `-storageDataPath=${folder}/victoria-metrics`,
    `-httpListenAddr=${address}`,
    '-search.latencyOffset=0s',
  ]);
}
