import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock, within } from '../clock.ts';
import type { ServerTls } from '../config/web/file.ts';
import type { ListenAddress } from '../listen-address.ts';
import type { Log } from '../log.ts';
import { answerOneAtATime } from './one-at-a-time.ts';

export class ListenError extends Error {}

/** How slow a client may be, in the words of Node; whoever holds a connection without using it loses it. */
const usualTimeouts = {
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the usual scrape interval, so that Prometheus keeps its connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
  // Longer than any collection. Who does not read a long answer is let go much earlier, where it is sent.
  silenceMs: 900_000,
};
export type Timeouts = typeof usualTimeouts;

interface ListenInput {
  readonly respond: RequestListener;
  readonly address: ListenAddress;
  readonly log: Log;
  /** TLS as it is configured at the moment; without it plain HTTP is spoken. */
  readonly tls?: (() => ServerTls) | undefined;
  readonly timeouts?: Partial<Timeouts>;
}

export async function listen({ respond, address, log, tls, timeouts }: ListenInput) {
  const { silenceMs, ...given } = { ...usualTimeouts, ...timeouts };
  // Node would answer a request without a host by itself, and out of turn.
  const options = { ...given, maxHeaderSize: 16_384, requireHostHeader: false };
  const turns = answerOneAtATime(respond);
  const server = tls
    ? createSecureServer(options, turns.respond, tls, log)
    : createServer(options, turns.respond);
  server.on(tls ? 'secureConnection' : 'connection', turns.connected);
  // The same for one with an expectation that is none of HTTP.
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));
  server.setTimeout(silenceMs);
  const close = prepareClose(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(describe(error, address))));
    if ('fd' in address) server.listen({ fd: address.fd }, resolve);
    else server.listen({ port: address.port, ...(address.host && { host: address.host }) }, resolve);
  });
  return { url: urlOf(server, address, tls ? 'https' : 'http'), close };
}

/** All of the addresses or none. */
export async function listenOnAll(addresses: readonly ListenAddress[], input: Omit<ListenInput, 'address'>) {
  const settled = await Promise.allSettled(addresses.map((address) => listen({ ...input, address })));
  const listeners = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const refused = settled.find((result) => result.status === 'rejected');
  if (!refused) return listeners;
  await Promise.all(listeners.map((listener) => listener.close(0)));
  throw refused.reason;
}

/** A connection that was opened but asked nothing, as browsers keep them, is waited for this long. */
const maxSilentMs = 1000;

/** Takes no new connections, lets answers under way end, and cuts what is left when the time is over. */
function prepareClose(server: Server): (graceMs: number) => Promise<void> {
  const answers = new Set<ServerResponse>();
  let isClosing = false;
  server.prependListener('request', (_request, answer: ServerResponse) => {
    answers.add(answer);
    if (isClosing) answer.setHeader('Connection', 'close');
    answer.once('close', () => {
      answers.delete(answer);
      if (isClosing) server.closeIdleConnections();
    });
  });

  return async (graceMs) => {
    isClosing = true;
    for (const answer of answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const cut = () => answers.size === 0 && server.closeAllConnections();
    const silent = setTimeout(cut, Math.min(maxSilentMs, graceMs));
    await within({ clock: systemClock, ms: graceMs }, closed, () => server.closeAllConnections());
    clearTimeout(silent);
  };
}

/** Each handshake uses the certificate that is in force then. */
function createSecureServer(
  options: ServerOptions,
  respond: RequestListener,
  tls: () => ServerTls,
  log: Log,
): TlsServer {
  let applied = tls();
  const server = createTlsServer(
    {
      ...options,
      ...applied.context,
      requestCert: applied.clientAuth !== 'NoClientCert',
      // The client learns why; all other cases are handled below.
      rejectUnauthorized: applied.clientAuth === 'RequireAndVerifyClientCert',
    },
    respond,
  );
  // Before Node's own listener, which begins the handshake. What is in force was tried when it was read.
  server.prependListener('connection', () => {
    const current = tls();
    if (current !== applied) server.setSecureContext(current.context);
    applied = current;
  });
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    if (isAdmitted(socket, applied)) return;
    log.debug({ peer: socket.remoteAddress }, 'connection refused: no client certificate that is accepted');
    socket.destroy();
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ peer: socket.remoteAddress, err: error.code ?? error.message }, 'TLS handshake failed');
  });
  return server;
}

/** Whether the client showed the certificate that `client_auth_type` and `client_allowed_sans` ask for. */
function isAdmitted(socket: TLSSocket, { clientAuth, allowedSans }: ServerTls): boolean {
  const certificate = socket.getPeerX509Certificate();
  const isVerified = certificate !== undefined && socket.authorized;
  if (clientAuth === 'RequireAndVerifyClientCert' && !isVerified) return false;
  if (clientAuth === 'VerifyClientCertIfGiven' && certificate && !isVerified) return false;
  if (clientAuth === 'RequireAnyClientCert' && !certificate) return false;
  if (!allowedSans) return true;
  const names = alternativeNames(certificate?.subjectAltName ?? '');
  return allowedSans.some((allowed) => names.includes(canonical(allowed)));
}

/** Node writes a name with odd characters as JSON does, so that it cannot pass for two names. */
export function alternativeNames(text: string): string[] {
  const pieces = text.matchAll(/[\w ]+:("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy);
  return [...pieces].map(([, name = '']) =>
    canonical(name.startsWith('"') ? String(JSON.parse(name)) : name),
  );
}

/** One spelling for each IPv6 address, which OpenSSL writes in full and people write short. */
function canonical(name: string): string {
  const address = `http://[${name}]`;
  return name.includes(':') && URL.canParse(address) ? new URL(address).hostname : name;
}

function describe(error: NodeJS.ErrnoException, address: ListenAddress): string {
  const where = 'fd' in address ? `socket ${address.fd}` : `${address.host ?? ''}:${address.port}`;
  if (error.code === 'EADDRINUSE')
    return `cannot listen on ${where}: another program has this port; choose another with --web.listen-address`;
  return `cannot listen on ${where}: ${error.code ?? error.message}`;
}

function urlOf(server: Server, address: ListenAddress, scheme: string): string {
  const own = server.address() as AddressInfo | string;
  if (typeof own === 'string') return `unix:${own}`;
  const { port } = own;
  const host = 'fd' in address ? own.address : (address.host ?? 'localhost');
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
