import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Program } from './program.ts';

export interface Scrape {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakBytes: number;
  readonly bytes: number;
}

/** What an answer leaves to be done after it, such as to collect its garbage, is part of its price. */
const afterwardsMs = 250;

/** One scrape as Prometheus makes it, and what it cost the process that answered. */
export async function scrape(program: Program): Promise<Scrape> {
  program.resetPeak();
  const cpuBefore = program.cpuMs();
  const startedAt = performance.now();
  let bytes = 0;
  await read(program.url, (chunk) => {
    bytes += chunk.length;
  });
  const wallMs = performance.now() - startedAt;
  await wait(afterwardsMs);
  return {
    wallMs,
    cpuMs: program.cpuMs() - cpuBefore,
    peakBytes: program.peakBytes(),
    bytes,
  };
}

/** The same scrape for its text: how many servers it counted, and how many series it has. */
export async function inspect(program: Program): Promise<{ servers: number; series: number }> {
  let servers = 0;
  let series = 0;
  let rest = '';
  await read(program.url, (chunk) => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith('#')) series += 1;
      if (/^cloud_servers[{ ]/.test(line)) servers += Number(line.slice(line.lastIndexOf(' ')));
    }
  });
  return { servers, series };
}

function read(url: string, take: (chunk: Buffer) => void): Promise<void> {
  const headers = { 'Accept-Encoding': 'identity', 'X-Prometheus-Scrape-Timeout-Seconds': '120' };
  return new Promise((resolve, reject) => {
    const request = get(`${url}/metrics`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('data', take).on('error', reject).on('end', resolve);
    });
    request.on('error', reject);
  });
}
