import { Agent, request } from 'node:http';

export interface Scrape {
  readonly text: string;
  readonly timeoutMs: number;
  /** How long the answer took, to its last byte. */
  readonly tookMs: number;
}

/** Scrapes as a Prometheus does: over a connection that it keeps, and with a timeout that it tells. */
export function createScraper(url: string): { scrape(timeoutMs: number): Promise<Scrape>; end(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function get(timeoutMs: number): Promise<string> {
    const headers = { 'X-Prometheus-Scrape-Timeout-Seconds': String(timeoutMs / 1000) };
    return new Promise((resolve, reject) => {
      const asking = request(`${url}/metrics`, { agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`status ${response.statusCode}: ${text}`));
        });
      });
      asking.on('error', reject).end();
    });
  }

  return {
    async scrape(timeoutMs) {
      const startedAt = performance.now();
      const text = await get(timeoutMs);
      const tookMs = performance.now() - startedAt;
      return { text, timeoutMs, tookMs };
    },
    end: () => agent.destroy(),
  };
}
