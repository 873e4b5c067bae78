import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerTls } from '../config/web/file.ts';
import type { Log } from '../log.ts';
import { createDrain } from './drain.ts';
import { createSecureServer } from './secure.ts';

export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** `:10700`, `127.0.0.1:10700` or `[::1]:10700`; nothing if it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? (match[2] || undefined), port };
}

export interface Listener {
  readonly url: string;
  /** Takes no new connections, lets answers under way end, and cuts what is left when the time is over. */
  close(graceMs: number): Promise<void>;
}

export class ListenError extends Error {}

/** How slow a client may be; whoever holds a connection without using it loses it. */
export interface Patience {
  readonly handshakeMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  readonly silenceMs: number;
  readonly checkEveryMs: number;
}

const usualPatience: Patience = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the usual scrape interval, so that Prometheus keeps its connection.
  idleMs: 75_000,
  // Longer than any collection, so that only a client that reads nothing is cut.
  silenceMs: 900_000,
  checkEveryMs: 5000,
};

export interface Door {
  readonly respond: RequestListener;
  readonly address: ListenAddress;
  readonly log: Log;
  /** TLS as it is configured at the moment; without it the door speaks plain HTTP. */
  readonly tls?: (() => ServerTls) | undefined;
  readonly patience?: Partial<Patience>;
}

export async function listen({ respond, address, log, tls, patience }: Door): Promise<Listener> {
  const times = { ...usualPatience, ...patience };
  const options = {
    maxHeaderSize: 16_384,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.idleMs,
    connectionsCheckingInterval: times.checkEveryMs,
  };
  const server = tls
    ? createSecureServer({ options: { ...options, handshakeTimeout: times.handshakeMs }, respond, tls, log })
    : createServer(options, respond);
  server.setTimeout(times.silenceMs);
  const close = createDrain(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(describe(error, address))));
    server.listen({ port: address.port, ...(address.host && { host: address.host }) }, resolve);
  });
  return { url: urlOf(server, address, tls ? 'https' : 'http'), close };
}

/** All of the addresses or none. */
export async function listenOnAll(
  addresses: readonly ListenAddress[],
  door: Omit<Door, 'address'>,
): Promise<Listener[]> {
  const settled = await Promise.allSettled(addresses.map((address) => listen({ ...door, address })));
  const listeners = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const refused = settled.find((result) => result.status === 'rejected');
  if (!refused) return listeners;
  await Promise.all(listeners.map((listener) => listener.close(0)));
  throw refused.reason;
}

function describe(error: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  const where = `${host ?? ''}:${port}`;
  if (error.code === 'EADDRINUSE')
    return `cannot listen on ${where}: another program has this port; choose another with --web.listen-address`;
  if (error.code === 'EACCES')
    return `cannot listen on ${where}: not permitted; ports below 1024 need privileges`;
  return `cannot listen on ${where}: ${error.code ?? error.message}`;
}

function urlOf(server: Server, address: ListenAddress, scheme: string): string {
  const { port } = server.address() as AddressInfo;
  const host = address.host ?? 'localhost';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
