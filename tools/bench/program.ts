import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, readSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Spent } from './inside.ts';

export type Program = Awaited<ReturnType<typeof startProgram>>;
export type Scrape = Awaited<ReturnType<Program['scrape']>>;

interface Start {
  readonly main: string;
  readonly configFile: string;
  /** Where V8 writes what it compiled. */
  readonly traceFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** What an answer leaves to be done after it, such as to collect its garbage, is part of its price. */
const afterwardsMs = 250;
const healthEveryMs = 10;
const address = /http:\/\/127\.0\.0\.1:\d+/;

/** Starts an exporter in a process of its own and waits until it says at which address it listens. */
export async function startProgram({ main, configFile, traceFile, environment, flags }: Start) {
  const ours = [
    `--import=${new URL('inside.js', import.meta.url).href}`,
    '--trace-opt',
    '--trace-file-names',
    '--redirect-code-traces',
    `--redirect-code-traces-to=${traceFile}`,
  ];
  const child = fork(main, ['--web.listen-address=127.0.0.1:0', `--config.file=${configFile}`], {
    execArgv: [...flags, ...ours],
    env: { PATH: process.env['PATH'], ...environment },
    silent: true,
  });
  const lines: string[] = [];
  for (const output of [child.stdout!, child.stderr!])
    createInterface({ input: output }).on('line', (line) => lines.push(line));
  while (!lines.some((line) => address.test(line))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended before it listened:\n${lines.join('\n')}`);
    await wait(20);
  }
  const [url] = address.exec(lines.join('\n'))!;
  const takeCompiled = createTraceReader(traceFile);

  async function pass(milliseconds: number): Promise<Spent> {
    child.send(milliseconds);
    return ((await once(child, 'message')) as [Spent])[0];
  }

  /** The longest that `/-/healthy` took to answer, asked all the time. */
  async function watchHealth(over: AbortSignal): Promise<number> {
    let longestMs = 0;
    while (!over.aborted) {
      const askedAt = performance.now();
      await download(`${url}/-/healthy`);
      longestMs = Math.max(longestMs, performance.now() - askedAt);
      await wait(healthEveryMs);
    }
    return longestMs;
  }

  return {
    /** After so much time has passed for it at once: what it costs, and what the rest before it did. */
    async scrape(passedMs: number, isWatched: boolean) {
      const over = new AbortController();
      const { cpuMs: restCpuMs } = await pass(passedMs);
      takeCompiled();
      const watching = isWatched ? watchHealth(over.signal) : Promise.resolve(NaN);
      const startedAt = performance.now();
      await download(`${url}/metrics`);
      const wallMs = performance.now() - startedAt;
      await wait(afterwardsMs);
      const spent = await pass(0);
      over.abort();
      return { ...spent, restCpuMs, wallMs, compiled: takeCompiled(), healthMs: await watching };
    },
    /** The most memory that it ever had. */
    peakBytes(): number {
      const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      return Number(kibibytes) * 1024;
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Gives the files and names of the functions whose compiling has ended since the last call. */
function createTraceReader(path: string): () => string[] {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(1 << 20);
  return () => {
    let text = '';
    for (let bytes = -1; bytes !== 0; text += chunk.toString('latin1', 0, bytes))
      bytes = readSync(file, chunk);
    const found = text.matchAll(/\[completed compiling \w+ <JSFunction (.*?) ?<([^<>]*)> \(/g);
    return [...found].map(([, name, script]) => `${basename(script!)} ${name || '()'}`);
  };
}

/** As Prometheus asks, but for gzip. */
async function download(url: string): Promise<void> {
  const headers = { 'Accept-Encoding': 'identity', 'X-Prometheus-Scrape-Timeout-Seconds': '300' };
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
}
