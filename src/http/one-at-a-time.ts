import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Less than two requests have together, so that no piece begins more than one. */
const pieceBytes = 24;
/** What is read in one turn of the event loop, whoever sent it, and what a request counts for. */
const piecesPerTurn = 1024;
const piecesPerRequest = 64;

interface Connection {
  readonly socket: Socket;
  readonly parse: (piece: Buffer) => void;
  unread: Buffer;
  /** What is not answered yet. */
  request?: IncomingMessage | undefined;
}

/**
 * A connection's next request waits for its last answer, and everybody gets a turn of the event loop in between. Node by
 * itself reads all that a client sends ahead, and begins it: thousands of requests in one go, for each connection.
 */
export function answerOneAtATime(respond: RequestListener) {
  const connections = new WeakMap<Socket, Connection>();
  const waiting = new Set<Connection>();
  let left = piecesPerTurn;

  function nextTurn(): void {
    left = piecesPerTurn;
    const first = [...waiting];
    waiting.clear();
    first.forEach(readOn);
  }

  function readOn(connection: Connection): void {
    const { socket, parse } = connection;
    const mayRead = () => connection.request?.complete !== true && !socket.destroyed;
    while (connection.unread.length > 0 && left > 0 && mayRead()) {
      if (left === piecesPerTurn) setImmediate(nextTurn);
      left -= 1;
      const piece = connection.unread.subarray(0, pieceBytes);
      connection.unread = connection.unread.subarray(pieceBytes);
      parse(piece);
    }
    if (connection.unread.length === 0) socket.resume();
    else if (mayRead()) waiting.add(connection);
  }

  return {
    respond(request: IncomingMessage, answer: ServerResponse): void {
      const connection = connections.get(request.socket)!;
      left -= piecesPerRequest;
      connection.request = request;
      answer.once('close', () => {
        connection.request = undefined;
        setImmediate(readOn, connection);
      });
      respond(request, answer);
    },
    /** For each connection, once Node listens to it: its parser gets what it can take, and the rest later. */
    connected(socket: Socket): void {
      const [parse] = socket.listeners('data') as Connection['parse'][];
      const connection: Connection = { socket, parse: parse!, unread: Buffer.alloc(0) };
      connections.set(socket, connection);
      socket.removeAllListeners('data');
      socket.on('data', (bytes: Buffer) => {
        socket.pause();
        connection.unread = connection.unread.length > 0 ? Buffer.concat([connection.unread, bytes]) : bytes;
        readOn(connection);
      });
      // Node resumes when what it wrote is gone; whatever is unread here keeps its turn.
      socket.on('resume', () => connection.unread.length > 0 && socket.pause());
    },
  };
}
