import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as PlainServer, type Socket } from 'node:net';

/** A connection that was opened but asked nothing yet, as browsers keep them, is waited for this long. */
const silentMs = 1000;

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  /** How many bytes had come when its latest answer ended; nothing before the first one. */
  restedAt?: number;
}

/** Follows a server's work, and returns how to end it without losing an answer that is under way. */
export function createDrain(server: Server): (graceMs: number) => Promise<void> {
  const connections = new Set<Connection>();
  const answers = new Set<ServerResponse>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    const connection = { socket, peer: peerOf(socket) };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    answers.add(answer);
    const connection = connectionOf(socket);
    if (isClosing) announceEnd(answer);
    answer.once('close', () => {
      answers.delete(answer);
      if (connection) connection.restedAt = connection.socket.bytesRead;
      if (isClosing) socket.destroySoon();
    });
  });

  /** With TLS a request knows another socket than the connection; the peer is the same. */
  function connectionOf(socket: Socket): Connection | undefined {
    const all = [...connections];
    return (
      all.find((connection) => connection.socket === socket) ??
      all.find(({ peer }) => peer === peerOf(socket))
    );
  }

  function cut(isToBeCut: (connection: Connection) => boolean): void {
    const busy = new Set([...answers].map(({ req }) => connectionOf(req.socket)));
    for (const connection of connections)
      if (!busy.has(connection) && isToBeCut(connection)) connection.socket.destroy();
  }

  return async (graceMs) => {
    isClosing = true;
    // The close of an HTTP server would reset connections whose request is half here already.
    const closed = new Promise<void>((resolve) => PlainServer.prototype.close.call(server, () => resolve()));
    for (const answer of answers) announceEnd(answer);
    cut(({ socket, restedAt }) => socket.bytesRead === restedAt);
    const timers = [
      setTimeout(() => cut(() => true), Math.min(silentMs, graceMs)),
      setTimeout(() => {
        for (const { socket } of connections) socket.destroy();
      }, graceMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
    // Ends what an HTTP server does every few seconds; that nothing is open any more is no error.
    server.close(() => undefined);
  };
}

/** Tells the client not to send another request on this connection. */
function announceEnd(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
