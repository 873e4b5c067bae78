import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../../src/simulator/answer.ts';
import type { Fault } from './faults.ts';

/** Writes the answer as the fault lets it through; returns when nothing more will be written. */
export async function deliver(response: ServerResponse, answer: Answer, fault?: Fault): Promise<void> {
  const { body } = answer;
  response.writeHead(answer.status, { ...answer.headers, ...lengthHeader(body.length, fault) });
  switch (fault?.kind) {
    case 'resetInBody':
      return writeThen(response, body.subarray(0, fault.afterBytes), () =>
        response.socket?.resetAndDestroy(),
      );
    case 'hangInBody':
      await writeAll(response, body.subarray(0, fault.afterBytes));
      await (fault.until ?? forever());
      response.end(body.subarray(fault.afterBytes));
      return;
    case 'drip':
      return drip(response, body, fault);
    case 'contentLength':
      return writeThen(response, body, () => response.socket?.end());
    case 'closeIdle':
      closeWhenIdle(response, fault.afterMs);
      response.end(body);
      return;
    default:
      response.end(body);
  }
}

/** Faults that leave no answer at all. False if there will be one. */
export async function failBeforeAnswer(response: ServerResponse, fault: Fault): Promise<boolean> {
  if (fault.kind === 'reset') response.socket?.resetAndDestroy();
  if (fault.kind === 'hangUp') response.socket?.destroy();
  if (fault.kind === 'hang') await (fault.until ?? forever());
  return fault.kind === 'reset' || fault.kind === 'hangUp';
}

/** Ended by the client or by the simulator's own close, which destroy the socket. */
function forever(): Promise<never> {
  return new Promise(() => {});
}

function lengthHeader(length: number, fault: Fault | undefined): Record<string, number | string> {
  const isUnannounced = fault?.kind === 'chunked' || (fault?.kind === 'garbage' && fault.chunked === true);
  if (isUnannounced) return { 'Transfer-Encoding': 'chunked' };
  return { 'Content-Length': length + (fault?.kind === 'contentLength' ? fault.byBytes : 0) };
}

function writeAll(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.flushHeaders();
    if (bytes.length === 0) resolve();
    else response.write(bytes, () => resolve());
  });
}

async function writeThen(response: ServerResponse, bytes: Buffer, after: () => void): Promise<void> {
  await writeAll(response, bytes);
  after();
}

interface Drip {
  readonly bytes: number;
  readonly pause?: () => Promise<unknown>;
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { bytes, pause = nextTurn }: Drip,
): Promise<void> {
  for (let sent = 0; sent < body.length && !response.destroyed; sent += bytes) {
    await writeAll(response, body.subarray(sent, sent + bytes));
    await pause();
  }
  response.end();
}

/** Without a word before, as the real platform does after ten idle seconds. */
function closeWhenIdle(response: ServerResponse, afterMs: number): void {
  const { socket } = response;
  response.once('finish', () => {
    const timer = setTimeout(() => socket?.destroy(), afterMs);
    socket?.once('data', () => clearTimeout(timer));
    socket?.once('close', () => clearTimeout(timer));
  });
}
