import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { onTestFinished } from 'vitest';
import { ownAddress } from '../support/loopback.ts';

/** Leads to a port of this machine, and can be shut and opened again while its address stays the same. */
export async function openDoor(target: number) {
  const sockets = new Set<Socket>();
  let leadsTo = target;
  let port = 0;
  const server = createServer((outside) => {
    const inside = connect(leadsTo, '127.0.0.1');
    for (const socket of [outside, inside]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pipeline(outside, inside, outside, () => undefined);
  });

  async function open(): Promise<void> {
    server.listen(port, ownAddress);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function shut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await open();
  onTestFinished(shut);
  return { address: `${ownAddress}:${port}`, shut, open, leadTo: (other: number) => void (leadsTo = other) };
}
