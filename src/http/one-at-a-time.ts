import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, answer: ServerResponse];

/**
 * A connection's next request waits for its last answer, and everybody gets a turn of the event loop in between. Node by
 * itself begins all that a client sends ahead, and reads on: thousands of answers in one go.
 */
export function answerOneAtATime(respond: RequestListener) {
  const waiting = new WeakMap<Socket, Exchange[]>();

  function begin([request, answer]: Exchange, { socket } = request): void {
    answer.once('close', () => setImmediate(goOn, socket));
    respond(request, answer);
  }

  function goOn(socket: Socket): void {
    const queue = waiting.get(socket) ?? [];
    const next = queue.shift();
    if (next && !socket.destroyed) return begin(next);
    waiting.delete(socket);
    socket.resume();
  }

  return {
    respond(request: IncomingMessage, answer: ServerResponse): void {
      const { socket } = request;
      const queue = waiting.get(socket);
      if (!queue) {
        waiting.set(socket, []);
        return begin([request, answer]);
      }
      queue.push([request, answer]);
      socket.pause();
    },
    /** For each connection, once Node listens to it. */
    connected(socket: Socket): void {
      // With a listener the bytes come through the socket, which can be paused; Node would else read past it.
      socket.on('data', () => undefined);
      // Node resumes when what it wrote is gone; whatever is waiting here keeps its place.
      socket.on('resume', () => (waiting.get(socket)?.length ?? 0) > 0 && socket.pause());
    },
  };
}
