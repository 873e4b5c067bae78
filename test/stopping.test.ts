import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseExposition } from './support/exposition.ts';
import { createGate, type Gate } from './support/gate.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate } from './support/simulated.ts';

/** A platform that never answers; the gates open when it is asked, and when the asker gives up. */
async function silentPlatform(): Promise<{ baseUrl: string; asked: Gate; givenUp: Gate }> {
  const [asked, givenUp] = [createGate(), createGate()];
  const server = createServer((_request, response) => {
    asked.open();
    response.once('close', givenUp.open);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, givenUp };
}

it('a stop ends a collection that nobody waits for at once, and lets a scrape under way have its answer', async () => {
  const silent = await silentPlatform();
  const cloud = await simulate({ servers: 7 });
  const [asked, gate] = [createGate(), createGate()];
  cloud.hooks.beforePage = () => {
    asked.open();
    return gate.passed;
  };
  const exporter = await runExporter({
    one: settingsFor(cloud, { base_url: silent.baseUrl }),
    two: settingsFor(cloud),
  });
  // The collection of a scrape without patience goes on alone.
  await exporter.text('/probe?cloud=one', { 'X-Prometheus-Scrape-Timeout-Seconds': '0.1' });
  const underWay = exporter.text('/probe?cloud=two');
  await Promise.all([silent.asked.passed, asked.passed]);
  const stopped = exporter.stop();
  await silent.givenUp.passed;
  gate.open();
  const parsed = parseExposition(await underWay);
  expect([parsed.value('cloud_up'), parsed.sum('cloud_servers')]).toEqual([1, 7]);
  await stopped;
  expect(exporter.logged()).not.toContain('collection failed');
});
