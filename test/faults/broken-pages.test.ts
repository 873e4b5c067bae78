import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { runExporter } from '../support/simulated.ts';

const servers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({
    id: `server-${from + index}`,
    status: 'running',
    vcpu_count: 1,
    vmem_size: 1024,
    disk: 1024,
    disk_count: 1,
  }));

/** A platform that answers lists from these texts in turn, each ended by closing the connection and by nothing else. */
async function startPlatform(lists: readonly string[]): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const platform: HttpServer = createServer((request, response) => {
    if (request.method === 'POST') {
      response.setHeader('X-Subject-Token', 'a-token');
      response.end(JSON.stringify({ token: { expires_at: new Date(Date.now() + 3_600_000).toISOString() } }));
      return;
    }
    if (!request.url?.startsWith('/servers')) {
      response.writeHead(404).end('{}');
      return;
    }
    const body = lists[Math.min(asked, lists.length - 1)]!;
    asked += 1;
    // Without a length and without chunks, only the text itself can tell that it is whole.
    request.socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void platform.close());
  return { url: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`, asked: () => asked };
}

it('what a page brought that broke off does not count beside the page that came in its place', async () => {
  const broken = JSON.stringify({ servers: servers(0, 10), total: 10 });
  const cut = broken.slice(0, broken.indexOf('"server-6"'));
  const whole = JSON.stringify({ servers: servers(100, 110), total: 10, limit: 1000 });
  const platform = await startPlatform([cut, whole]);
  const settings = {
    auth_url: platform.url,
    base_url: platform.url,
    token: 'given',
    list_hosts: false,
    query: { filter_any: 'true' },
  };
  const exporter = await runExporter({ one: settings });
  const parsed = parseExposition(await exporter.text('/metrics'));
  expect(platform.asked()).toBe(2);
  expect(parsed.value('cloud_up')).toBe(1);
  expect(parsed.sum('cloud_servers')).toBe(10);
  expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(10);
});
