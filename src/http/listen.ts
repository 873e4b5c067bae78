import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export async function listen(respond: RequestListener, address: ListenAddress): Promise<Listener> {
  const server = createServer({ maxHeaderSize: 16_384 }, respond);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(describe(error, address))));
    server.listen({ port: address.port, ...(address.host && { host: address.host }) }, resolve);
  });
  return { url: urlOf(server, address), close: (graceMs) => closeServer(server, graceMs) };
}

function describe(error: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  const where = `${host ?? ''}:${port}`;
  if (error.code === 'EADDRINUSE')
    return `cannot listen on ${where}: another program has this port; choose another with --web.listen-address`;
  if (error.code === 'EACCES')
    return `cannot listen on ${where}: not permitted; ports below 1024 need privileges`;
  return `cannot listen on ${where}: ${error.code ?? error.message}`;
}

function urlOf(server: Server, address: ListenAddress): string {
  const { port } = server.address() as AddressInfo;
  const host = address.host ?? 'localhost';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
