import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { patienceOf } from '../../src/http/metrics.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { parseExposition } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';

const servers = 400;

/** A cloud whose answers are more than the operating system takes for who does not read. */
async function setUp() {
  const labels = Object.fromEntries('abcdefgh'.split('').map((name) => [name, 'metadata.user:long']));
  const parts = { servers, clock: createManualClock(), settings: { per_server: true, labels } };
  const { cloud, clock, exporter } = await exportCloud(parts);
  const metadata = { 'user:long': 'x'.repeat(5000) };
  cloud.quirks.rewriteServer = (server) => ({ ...server, metadata });

  /** A scrape of a Prometheus that waits for 10 s, which reads `ms` after the first byte has come. */
  async function scrape(ms: number, headers: Record<string, string> = {}): Promise<string> {
    const timeout = { 'X-Prometheus-Scrape-Timeout-Seconds': '10' };
    const request = get(`${exporter.url}/metrics`, { headers: { ...timeout, ...headers } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    await clock.advance(ms);
    return text(answer);
  }
  return { cloud, clock, scrape };
}

/** For the last byte, and twice for what writing and sending takes. */
const keptBack = (ms: number) => 10_000 - 500 - 2 * ms;

describe('a scrape', () => {
  it('waits for its collection only as long as leaves time to write and send the answer, twice', async () => {
    const { cloud, clock, scrape } = await setUp();
    await scrape(2000);
    expect(clock.waits).toContain(keptBack(0));
    const [arrived, gate] = [createGate(), createGate()];
    cloud.hooks.beforePage = () => {
      arrived.open();
      return gate.passed;
    };
    const stale = scrape(2000);
    await arrived.passed;
    await clock.advance(keptBack(2000));
    const parsed = parseExposition(await stale);
    expect([parsed.sum('cloud_servers'), parsed.value('cloud_up')]).toEqual([servers, 1]);
    gate.open();
  });

  it('learns that from the latest answer of the same format and encoding', async () => {
    const { clock, scrape } = await setUp();
    await scrape(2000);
    await scrape(1000);
    expect(clock.waits).toContain(keptBack(2000));
    await scrape(0);
    expect(clock.waits).toContain(keptBack(1000));
    // Of another kind nothing is known: what is usual for so many servers is kept back.
    for (const headers of [{ Accept: 'text/plain;version=1.0.0' }, { 'Accept-Encoding': 'gzip' }]) {
      const before = clock.waits.filter((ms) => ms === keptBack(8)).length;
      await scrape(0, headers);
      expect(clock.waits.filter((ms) => ms === keptBack(8)).length).toBe(before + 1);
    }
  });
});

it.each([
  ['0.2', 0],
  ['soon', 30_000],
  [undefined, 30_000],
])('who waits for %s seconds is given %i ms', (seconds, ms) => expect(patienceOf(seconds)).toBe(ms));
