import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { startUntilReady } from '../../test/support/ready-program.ts';

export type Program = Awaited<ReturnType<typeof startProgram>>;
export type Scrape = Awaited<ReturnType<Program['scrape']>>;

interface Start {
  readonly main: string;
  readonly configFile: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What an answer leaves to be done after it, such as to collect its garbage, is part of its price. */
const afterwardsMs = 250;
const healthEveryMs = 10;
const address = /http:\/\/127\.0\.0\.1:\d+/;

/**
 * Starts an exporter in a process of its own, so that what it costs is the kernel's to tell, and waits until it says at
 * which address it listens.
 */
export async function startProgram({ main, configFile, environment }: Start) {
  const flags = [main, '--web.listen-address=127.0.0.1:0', `--config.file=${configFile}`];
  const env = { PATH: process.env['PATH'], ...environment };
  const { pid, said, stop } = await startUntilReady(process.execPath, flags, address, env);
  const [url] = address.exec(said())!;

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
    /** Watching costs something, too. */
    async scrape(isWatched: boolean) {
      const over = new AbortController();
      const watching = isWatched ? watchHealth(over.signal) : Promise.resolve(NaN);
      const cpuBefore = cpuMs(pid);
      const startedAt = performance.now();
      const bytes = await download(`${url}/metrics`);
      const wallMs = performance.now() - startedAt;
      await wait(afterwardsMs);
      const spentMs = cpuMs(pid) - cpuBefore;
      over.abort();
      return { wallMs, bytes, cpuMs: spentMs, healthMs: await watching };
    },
    /** A minute passes for it. */
    passMinute: () => void process.kill(pid, 'SIGUSR2'),
    /** The most memory that it ever had. */
    peakBytes(): number {
      const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kibibytes) * 1024;
    },
    stop,
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
async function download(url: string): Promise<number> {
  const headers = { 'Accept-Encoding': 'identity', 'X-Prometheus-Scrape-Timeout-Seconds': '300' };
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(response, 'end');
  return bytes;
}
