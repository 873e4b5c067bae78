import { createServer, type Server, type ServerOptions } from 'node:https';
import type { RequestListener } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../config/web/file.ts';
import type { Log } from '../log.ts';
import { isAdmitted } from './client-certificate.ts';

/** An HTTPS server that follows its configuration: each handshake uses the certificate that is in force then. */
export function createSecureServer(input: {
  options: ServerOptions;
  respond: RequestListener;
  tls: () => ServerTls;
  log: Log;
}): Server {
  const { tls, log } = input;
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
  // Ahead of the server's own listener, which starts the handshake.
  server.prependListener('connection', () => {
    const current = tls();
    if (current === applied) return;
    applied = current;
    server.setSecureContext(current.context);
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
