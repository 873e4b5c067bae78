import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Less than the shortest request has, so that no piece begins more than one. */
const pieceBytes = 16;
/** A request is a step or more. */
const stepBytes = 64 * pieceBytes;
/** What is read in one turn of the event loop, whoever sent it. */
const stepsPerTurn = 16;

type Parse = (piece: Buffer) => void;

/**
 * A connection's next request waits for its last answer, and everybody gets a turn of the event loop in between. Node by
 * itself reads all that a client sends ahead, and begins it: thousands of requests in one go, for each connection.
 * Pausing the socket would come too late, as what was read is parsed to its end.
 */
export function answerOneAtATime(respond: RequestListener) {
  const latest = new WeakMap<Socket, { request: IncomingMessage; answered: Promise<void> }>();
  let steps = 0;
  let turn: Promise<void> = Promise.resolve();

  /** First come, first served. */
  function takeStep(): Promise<void> {
    steps += 1;
    if (steps % stepsPerTurn === 0) turn = turn.then(() => nextTurn());
    return turn;
  }

  async function read(socket: Socket, parse: Parse, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const last = latest.get(socket);
      const isNext = last?.request.complete === true;
      if (isNext) await last.answered.then(() => latest.delete(socket));
      if (isNext || at % stepBytes === 0) await takeStep();
      if (socket.destroyed) return;
      parse(bytes.subarray(at, at + pieceBytes));
    }
  }

  return {
    respond(request: IncomingMessage, answer: ServerResponse): void {
      const answered = new Promise<void>((resolve) => answer.once('close', resolve));
      latest.set(request.socket, { request, answered });
      respond(request, answer);
    },
    /** For each connection, once Node listens to it: its parser, which is the one listener, gets piece after piece. */
    connected(socket: Socket): void {
      const [parse] = socket.listeners('data') as Parse[];
      let isReading = false;
      socket.removeAllListeners('data');
      socket.on('data', (bytes: Buffer) => {
        isReading = true;
        socket.pause();
        const goOn = () => {
          isReading = false;
          socket.resume();
        };
        // Should the parser refuse a piece, it costs this connection alone.
        read(socket, parse!, bytes).then(goOn, (error: Error) => socket.destroy(error));
      });
      // Node resumes when what it wrote is gone; whatever is unread here keeps its turn.
      socket.on('resume', () => isReading && socket.pause());
    },
  };
}
