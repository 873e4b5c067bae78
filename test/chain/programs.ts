import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { pathOf } from '../support/real-parts.ts';

/** Starts a program and waits until it says that it is ready; it ends with the test. */
async function start(part: string, flags: readonly string[], readiness: RegExp): Promise<void> {
  const child = spawn(pathOf(part), flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await exited;
  });
  const said: string[] = [];
  const isReady = new Promise<void>((resolve) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        said.push(line);
        if (readiness.test(line)) resolve();
      });
    }
  });
  const ended = exited.then(() => {
    throw new Error(`${part} ended before it was ready:\n${said.slice(-20).join('\n')}`);
  });
  await Promise.race([isReady, ended]);
}

export async function startPrometheus(folder: string, configFile: string): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${folder}/prometheus`,
    `--web.listen-address=${address}`,
    '--enable-feature=extra-scrape-metrics',
  ];
  await start('prometheus', flags, /Server is ready to receive web requests/);
  return `http://${address}`;
}

export async function startAlertmanager(folder: string, configFile: string): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${configFile}`,
    `--storage.path=${folder}/alertmanager`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
  ];
  await start('prometheus-alertmanager', flags, /Listening on|Listening/);
  return `http://${address}`;
}

export async function startVictoriaMetrics(folder: string, scrapeFile: string): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    `-promscrape.config=${scrapeFile}`,
    `-storageDataPath=${folder}/victoria-metrics`,
    `-httpListenAddr=${address}`,
    '-search.latencyOffset=0s',
  ];
  await start('victoria-metrics', flags, /started VictoriaMetrics in/);
  return `http://${address}`;
}

/** Evaluates rules against VictoriaMetrics and writes what they record back to it. */
export async function startVmalert(
  store: string,
  notifier: string,
  ruleFiles: readonly string[],
): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    ...ruleFiles.map((file) => `-rule=${file}`),
    `-datasource.url=${store}`,
    `-remoteWrite.url=${store}`,
    `-notifier.url=${notifier}`,
    `-httpListenAddr=${address}`,
    '-evaluationInterval=1s',
    '-datasource.queryStep=1s',
  ];
  await start('vmalert', flags, /starting http server|started http server/);
  return `http://${address}`;
}
