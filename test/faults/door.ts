import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { ownAddress } from '../support/loopback.ts';

/** Leads to a port of this machine, and can be shut and opened again while its address stays the same. */
export interface Door {
  /** Host and port. */
  readonly address: string;
  shut(): Promise<void>;
  open(): Promise<void>;
  leadTo(port: number): void;
}

export async function openDoor(target: number): Promise<Door> {
  const sockets = new Set<Socket>();
  let leadsTo = target;
  let server: Server | undefined;
  let port = 0;

  function pass(outside: Socket): void {
    const inside = connect(leadsTo, '127.0.0.1');
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  async function open(): Promise<void> {
    server = createServer(pass).listen(port, ownAddress);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function shut(): Promise<void> {
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await open();
  onTestFinished(shut);
  return { address: `${ownAddress}:${port}`, shut, open, leadTo: (other) => void (leadsTo = other) };
}
