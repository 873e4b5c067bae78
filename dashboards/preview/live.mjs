import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export const scrapeSeconds = 2;

/** The demo and a real Prometheus that scrapes it; resolves when both answer. */
export async function startLiveData({ projectFolder, folder }) {
  const exporterPort = await freePort();
  const prometheusPort = await freePort();
  const url = `http://127.0.0.1:${prometheusPort}`;
  const configuration = join(folder, 'prometheus.yml');
  await writeFile(configuration, configurationFor({ projectFolder, exporterPort }));
  const children = [
    start(process.execPath, [
      join(projectFolder, 'dist/main.js'),
      '--demo',
      '--log.level=error',
      `--web.listen-address=127.0.0.1:${exporterPort}`,
    ]),
    start('prometheus', [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
      '--enable-feature=extra-scrape-metrics',
      '--log.level=error',
    ]),
  ];
  const stop = () => Promise.all(children.map((child) => child.stop()));
  try {
    const ready = [answers(`http://127.0.0.1:${exporterPort}/metrics`), answers(`${url}/-/ready`)];
    await Promise.race([Promise.all(ready), ...children.map(({ ended }) => ended)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** A program whose end is an error unless it was asked for. */
function start(program, given) {
  const child = spawn(program, given, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = Promise.allSettled([once(child, 'exit')]);
  const ended = exited.then(() => {
    throw new Error(`${program} ended: is it installed, and is the project compiled (npx tsc)?`);
  });
  // Nobody may be waiting for it any more.
  ended.catch(() => undefined);
  return {
    ended,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** JSON is YAML. The name of the target is the one that a reader's own demo has, not this run's port. */
function configurationFor({ projectFolder, exporterPort }) {
  return JSON.stringify({
    global: {
      scrape_interval: `${scrapeSeconds}s`,
      scrape_timeout: `${scrapeSeconds}s`,
      evaluation_interval: `${scrapeSeconds}s`,
    },
    rule_files: [join(projectFolder, 'dashboards/rules/*.yml')],
    scrape_configs: [
      {
        job_name: 'cloud-platform-exporter',
        honor_labels: true,
        static_configs: [{ targets: [`127.0.0.1:${exporterPort}`], labels: { instance: 'localhost:10700' } }],
      },
    ],
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await wait(300);
  }
  throw new Error(`no answer from ${url}`);
}
