import { randomBytes, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { answerRefusal, Refusal, type Answer, type Dialect } from './answer.ts';
import { deliver, failBeforeAnswer } from './faults/deliver.ts';
import type { Fault, FaultContext } from './faults/faults.ts';
import type { Arrival, Operation, OpenEntry } from './journal.ts';
import { pageNumber, type PageSizes } from './lists/paging.ts';
import { alterAnswer, replaceAnswer } from './faults/altered-answer.ts';
import type { Tokens } from './identity/tokens.ts';

export interface Call {
  readonly arrival: Arrival;
  readonly parameters: URLSearchParams;
  readonly peer: string;
  /** Whether the client has hung up before its answer. */
  readonly isAbandoned: () => boolean;
}

export interface ExchangeParts {
  readonly dialect: Dialect;
  readonly now: () => number;
  readonly sizes: PageSizes;
  readonly tokens: Tokens;
  readonly faultFor: (context: FaultContext) => Fault | undefined;
  readonly openEntry: (arrival: Arrival) => OpenEntry;
}

export type Operate = (call: Call) => Answer | Promise<Answer>;

/** One request from arrival to its last byte: into the journal, past the faults, to the operation, and out. */
export function createExchange({ dialect, now, sizes, tokens, faultFor, openEntry }: ExchangeParts) {
  const usedSockets = new WeakSet<Socket>();

  function receive(request: Request, response: Response, operation: Operation): Call {
    const url = new URL(request.originalUrl, 'http://simulated.invalid');
    const tokenSent = request.get('X-Auth-Token');
    const arrival: Arrival = {
      operation,
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      parameters: url.searchParams,
      headers: request.headers,
      body: typeof request.body === 'string' ? request.body : '',
      tokenSent,
      tokenState: tokens.inspect(tokenSent).state,
      at: now(),
    };
    return {
      arrival,
      parameters: url.searchParams,
      peer: request.socket.remoteAddress ?? '',
      isAbandoned: () => response.destroyed && !response.writableFinished,
    };
  }

  function chooseFault(call: Call, socket: Socket): Fault | undefined {
    const connectionReused = usedSockets.has(socket);
    usedSockets.add(socket);
    const { parameters } = call;
    const { operation } = call.arrival;
    const isList = operation === 'list' || operation === 'hosts';
    const page = isList ? pageNumber(parameters, sizes) : undefined;
    return faultFor({ operation, page, parameters, connectionReused });
  }

  async function runOperation(operate: Operate, call: Call): Promise<Answer> {
    try {
      return await operate(call);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'UnclassifiedError', String(error));
      return answerRefusal(refusal, now());
    }
  }

  return async function exchange(
    request: Request,
    response: Response,
    operation: Operation,
    operate: Operate,
  ) {
    const call = receive(request, response, operation);
    const entry = openEntry(call.arrival);
    response.once('close', () => entry.close());

    const fault = chooseFault(call, request.socket);
    if (fault !== undefined) {
      entry.setFault(fault.kind);
      if (await failBeforeAnswer(response, fault)) return;
    }
    const honest = (fault && replaceAnswer(fault, call.arrival)) ?? (await runOperation(operate, call));
    const answer = fault === undefined ? honest : alterAnswer(honest, fault, now());
    entry.setStatus(answer.status);
    response.setHeader('Date', new Date(now()).toUTCString());
    response.setHeader('X-Request-Id', requestId(dialect, request.get('X-Request-Id')));
    if (dialect === 'platform') response.setHeader('Server', 'Yunion AppServer/Go/2018.4');
    if (fault === undefined) entry.close();
    await deliver(response, answer, fault);
  };
}

function requestId(dialect: Dialect, sent: string | undefined): string {
  if (dialect === 'document') return `req-${randomUUID()}`;
  const own = randomBytes(3).toString('hex');
  return sent === undefined ? own : `${sent}-${own}`;
}
