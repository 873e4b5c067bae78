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
 * Addresses of this machine that only this process uses: whoever goes on asking for something that has ended meets
 * nobody, and not what another test started on the same port. Where only 127.0.0.1 is there, as on macOS, it is that.
 */
export const ownAddresses: readonly [string, ...string[]] = await usable([64, 128, 192].map(addressFrom));
export const [ownAddress] = ownAddresses;

function addressFrom(start: number): string {
  const { pid } = process;
  return [127, start + ((pid >> 16) & 63), (pid >> 8) & 255, pid & 255].join('.');
}

async function usable(addresses: readonly string[]): Promise<[string, ...string[]]> {
  const ports = await Promise.all(addresses.map(tryPort));
  const [first, ...others] = addresses.filter((_, place) => ports[place] !== undefined);
  return first === undefined ? ['127.0.0.1'] : [first, ...others];
}

/** A port that nobody has there, for programs that cannot be asked for the one they took. */
export async function freePort(address = ownAddress): Promise<number> {
  return (await tryPort(address))!;
}
