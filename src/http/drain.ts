import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that was opened but asked nothing yet, as browsers keep them, is waited for this long. */
const silentMs = 1000;

/** Follows a server's work, and returns how to end it without losing an answer that is under way. */
export function createDrain(server: Server): (graceMs: number) => Promise<void> {
  const connections = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    answers.add(answer);
    if (isClosing) announceEnd(answer);
    answer.once('close', () => {
      answers.delete(answer);
      if (isClosing) socket.destroySoon();
    });
  });

  function cutSilent(): void {
    // With TLS a request knows another socket than the connection; the peer is the same.
    const busy = new Set([...answers].map(({ req }) => peerOf(req.socket)));
    for (const socket of connections) if (!busy.has(peerOf(socket))) socket.destroy();
  }

  function cutAll(): void {
    for (const socket of connections) socket.destroy();
  }

  return async (graceMs) => {
    isClosing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const answer of answers) announceEnd(answer);
    server.closeIdleConnections();
    const timers = [setTimeout(cutSilent, Math.min(silentMs, graceMs)), setTimeout(cutAll, graceMs)];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Tells the client not to send another request on this connection. */
function announceEnd(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
