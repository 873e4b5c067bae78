import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Whether something can listen there, and on which port it did. */
async function tryPort(address: string): Promise<number | undefined> {
  const server = createServer().listen(0, address);
  const isListening = await once(server, 'listening').catch(() => undefined);
  if (isListening === undefined) return undefined;
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * An address of this machine that only this process uses: whoever goes on asking for something that has ended meets
 * nobody, and not what another test started on the same port. Where only 127.0.0.1 is there, as on macOS, it is that.
 */
const { pid } = process;
const own = [127, 64 + ((pid >> 16) & 63), (pid >> 8) & 255, pid & 255].join('.');
export const ownAddress = (await tryPort(own)) === undefined ? '127.0.0.1' : own;

/** A port that nobody has there, for programs that cannot be asked for the one they took. */
export async function freePort(address = ownAddress): Promise<number> {
  return (await tryPort(address))!;
}
