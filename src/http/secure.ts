import { createServer, type Server, type ServerOptions } from 'node:https';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../config/web/file.ts';
import type { Log } from '../log.ts';
import { isAdmitted } from './client-certificate.ts';

/** An HTTPS server that follows its configuration: each handshake uses the certificate that is in force then. */
export function createSecureServer(input: {
  options: ServerOptions;
  respond: RequestListener;
  tls: () => ServerTls;
  /** Waited for before each handshake, so that a certificate that was renewed is known by then. */
  refresh?: (() => Promise<unknown>) | undefined;
  log: Log;
}): Server {
  const { tls, log, refresh = async () => undefined } = input;
  let applied = tls();
  const server = createServer(
    {
      ...input.options,
      ...applied.context,
      requestCert: applied.clientAuth !== 'NoClientCert',
      // Tells the client why; all other cases are judged below.
      rejectUnauthorized: applied.clientAuth === 'RequireAndVerifyClientCert',
    },
    input.respond,
  );
  const handshakes = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    void refresh().then(() => {
      follow();
      if (!socket.destroyed) for (const begin of handshakes) begin.call(server, socket);
    });
  });

  function follow(): void {
    const current = tls();
    if (current === applied) return;
    applied = current;
    server.setSecureContext(current.context);
  }

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
