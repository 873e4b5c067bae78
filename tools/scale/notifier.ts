import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands where Alertmanager would: it takes what it is sent. */
export async function startNotifier(): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
