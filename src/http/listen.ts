import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerTls } from '../config/web/file.ts';
import type { Log } from '../log.ts';
import { createDrain } from './drain.ts';
import { createSecureServer } from './secure.ts';

/** An address to open, or the number of a socket that is open already. */
export type ListenAddress = HostAndPort | { readonly fd: number };

export interface HostAndPort {
  readonly host: string | undefined;
  readonly port: number;
}

/** `:10700`, `127.0.0.1:10700` or `[::1]:10700`; nothing if it is none of them. */
export function parseListenAddress(text: string): HostAndPort | undefined {
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
  /** Looks whether TLS is configured anew; waited for before each handshake. */
  readonly refresh?: (() => Promise<unknown>) | undefined;
  readonly patience?: Partial<Patience>;
}

export async function listen({ respond, address, log, tls, refresh, patience }: Door): Promise<Listener> {
  const times = { ...usualPatience, ...patience };
  const options = {
    maxHeaderSize: 16_384,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.idleMs,
    connectionsCheckingInterval: times.checkEveryMs,
  };
  const server = tls
    ? createSecureServer({
        options: { ...options, handshakeTimeout: times.handshakeMs },
        respond,
        tls,
        refresh,
        log,
      })
    : createServer(options, respond);
  server.setTimeout(times.silenceMs);
  const close = createDrain(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(describe(error, address))));
    if ('fd' in address) server.listen({ fd: address.fd }, resolve);
    else server.listen({ port: address.port, ...(address.host && { host: address.host }) }, resolve);
  });
  return { url: urlOf(server, address, tls ? 'https' : 'http'), close };
}

/** The first socket that systemd hands over, by its convention. */
const firstSocket = 3;

/** The sockets that systemd handed to this process, by LISTEN_PID and LISTEN_FDS; empty if there are none. */
export function systemdSockets(
  environment: Readonly<Record<string, string | undefined>>,
  processId: number,
): ListenAddress[] {
  if (Number(environment['LISTEN_PID']) !== processId) return [];
  const count = Number(environment['LISTEN_FDS']) || 0;
  return Array.from({ length: Math.min(count, 64) }, (_, index) => ({ fd: firstSocket + index }));
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

function describe(error: NodeJS.ErrnoException, address: ListenAddress): string {
  const where = 'fd' in address ? `socket ${address.fd}` : `${address.host ?? ''}:${address.port}`;
  if (error.code === 'EADDRINUSE')
    return `cannot listen on ${where}: another program has this port; choose another with --web.listen-address`;
  if (error.code === 'EACCES')
    return `cannot listen on ${where}: not permitted; ports below 1024 need privileges`;
  return `cannot listen on ${where}: ${error.code ?? error.message}`;
}

function urlOf(server: Server, address: ListenAddress, scheme: string): string {
  const own = server.address() as AddressInfo | string;
  if (typeof own === 'string') return `unix:${own}`;
  const { port } = own;
  const host = 'fd' in address ? own.address : (address.host ?? 'localhost');
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
