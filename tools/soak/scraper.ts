import { Agent, request, type IncomingMessage } from 'node:http';
import { stolenMs } from './stolen-time.ts';

export interface Scrape {
  readonly text: string;
  readonly timeoutMs: number;
  /** How long the answer took, to its last byte. */
  readonly tookMs: number;
  /** For how much of it the machine may have stood still. */
  readonly stolenMs: number;
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface Scraper {
  scrape(timeoutMs: number): Promise<Scrape>;
  statusOf(path: string): Promise<number>;
  end(): void;
}

/** Scrapes as a Prometheus does: over a connection that it keeps, with its password and a timeout that it tells. */
export function createScraper(url: string, { user, password }: Login): Scraper {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const options = { agent, headers, auth: `${user}:${password}` };
      const asking = request(`${url}${path}`, options, (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      });
      asking.on('error', reject).end();
    });
  }

  return {
    async scrape(timeoutMs) {
      const startedAt = performance.now();
      const stolenBefore = stolenMs();
      const headers = { 'X-Prometheus-Scrape-Timeout-Seconds': String(timeoutMs / 1000) };
      const { status, text } = await get('/metrics', headers);
      if (status !== 200) throw new Error(`status ${status}: ${text}`);
      const tookMs = performance.now() - startedAt;
      return { text, timeoutMs, tookMs, stolenMs: stolenMs() - stolenBefore };
    },
    statusOf: async (path) => (await get(path)).status,
    end: () => agent.destroy(),
  };
}
