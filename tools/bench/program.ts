import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** An exporter in a process of its own, so that what it costs is the kernel's to tell. */
export interface Program {
  scrape(): Promise<Scrape>;
  /** A scrape during which `/-/healthy` is asked all the time: the longest that it took to answer. */
  scrapeWatched(): Promise<Scrape & { readonly healthMs: number }>;
  /** A minute passes for it. */
  passMinute(): void;
  /** The most memory that it ever had. */
  peakBytes(): number;
  stop(): Promise<void>;
}

export interface Scrape {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly bytes: number;
}

export interface Start {
  readonly main: string;
  readonly configFile: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What an answer leaves to be done after it, such as to collect its garbage, is part of its price. */
const afterwardsMs = 250;
const healthEveryMs = 10;

/** Starts the program and waits until it says at which address it listens. */
export async function startProgram({ main, configFile, environment }: Start): Promise<Program> {
  const flags = ['--web.listen-address=127.0.0.1:0', `--config.file=${configFile}`];
  const child = spawn(process.execPath, [main, ...flags], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid!;
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk: Buffer) => {
        said = `${said}${chunk.toString()}`.slice(-4096);
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (address) resolve(address);
      });
    child.once('exit', (code) => reject(new Error(`${main} ended with ${code}: ${said}`)));
  });

  async function scrape(): Promise<Scrape> {
    const cpuBefore = cpuMs(pid);
    const startedAt = performance.now();
    const bytes = await download(`${url}/metrics`);
    const wallMs = performance.now() - startedAt;
    await wait(afterwardsMs);
    return { wallMs, bytes, cpuMs: cpuMs(pid) - cpuBefore };
  }

  return {
    scrape,
    async scrapeWatched() {
      const over = new AbortController();
      let healthMs = 0;
      const watch = async () => {
        while (!over.signal.aborted) {
          const askedAt = performance.now();
          await download(`${url}/-/healthy`);
          healthMs = Math.max(healthMs, performance.now() - askedAt);
          await wait(healthEveryMs);
        }
      };
      const watching = watch();
      const scraped = await scrape();
      over.abort();
      await watching;
      return { ...scraped, healthMs };
    },
    passMinute: () => void child.kill('SIGUSR2'),
    peakBytes() {
      const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kibibytes) * 1024;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Nanoseconds per thread from the scheduler; /proc/PID/stat counts in hundredths of a second only. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** As Prometheus asks, but for gzip; how many bytes came. */
function download(url: string): Promise<number> {
  const headers = { 'Accept-Encoding': 'identity', 'X-Prometheus-Scrape-Timeout-Seconds': '300' };
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('error', reject).on('end', () => resolve(bytes));
    });
    request.on('error', reject);
  });
}
