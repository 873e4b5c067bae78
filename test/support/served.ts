import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createBodyMemory } from '../../src/transport/body.ts';
import { createTransport, type Transport, type TransportSettings } from '../../src/transport/request.ts';
import { createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';

/** Answers on a free port until the test ends. */
export async function serve(respond: RequestListener): Promise<URL> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** A transport as a cloud has one, with little of everything. */
export function transportWith(
  settings: Partial<TransportSettings> & Pick<TransportSettings, 'clock'>,
): Transport {
  const transport = createTransport({
    observer: { attempted: () => undefined, retrying: () => undefined },
    yieldToEventLoop: createYieldToEventLoop(),
    bodies: createBodyMemory(),
    requestTimeoutMs: 10_000,
    responseLimitBytes: 1_000_000,
    connections: 2,
    userAgent: 'test',
    tls: { insecureSkipVerify: false },
    ...settings,
  });
  onTestFinished(() => transport.closeIdle());
  return transport;
}
