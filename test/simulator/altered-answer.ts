import type { Answer } from '../../src/simulator/answer.ts';
import { timestamp } from '../../src/simulator/answer.ts';
import type { Fault } from './faults.ts';
import type { Arrival } from './journal.ts';
import { cutShort, dropLookedUpFields } from './lookups.ts';

const bytesPerMegabyte = 1_000_000;

/** The answer that a fault puts in the place of the real one, if it is of that sort. */
export function replaceAnswer(fault: Fault, arrival: Arrival): Answer | undefined {
  switch (fault.kind) {
    case 'status': {
      const retry: Record<string, string> =
        fault.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) };
      return {
        status: fault.code,
        headers: { ...jsonType, ...retry },
        body: statusBody(fault.code, fault.body),
      };
    }
    case 'echo':
      return echo(fault.code, JSON.stringify([arrival.query, arrival.headers, arrival.body]));
    case 'redirect':
      return { status: fault.code ?? 302, headers: { Location: fault.location }, body: Buffer.alloc(0) };
    case 'json':
      return { status: 200, headers: jsonType, body: Buffer.from(JSON.stringify(fault.json)) };
    case 'text':
      return {
        status: 200,
        headers: { 'Content-Type': fault.contentType ?? 'text/html' },
        body: Buffer.from(fault.text),
      };
    case 'garbage':
      return {
        status: 200,
        headers: jsonType,
        body: Buffer.alloc(fault.megabytes * bytesPerMegabyte, 'garbage '),
      };
    default:
      return undefined;
  }
}

const jsonType = { 'Content-Type': 'application/json' };

function statusBody(code: number, body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  const flat = { class: 'SimulatedError', code, details: 'a fault that was switched on' };
  return Buffer.from(JSON.stringify(body ?? flat));
}

function echo(code: number, request: string): Answer {
  const details = `you sent ${request}`;
  if (code === 200)
    return { status: code, headers: { 'Content-Type': 'text/plain' }, body: Buffer.from(details) };
  return {
    status: code,
    headers: { ...jsonType, Location: details },
    body: statusBody(code, { class: 'EchoError', code, details }),
  };
}

/** The real answer with the lie that the fault tells; other faults leave it as it is. */
export function alterAnswer(answer: Answer, fault: Fault, nowMs: number): Answer {
  const isBroken = fault.kind === 'truncated';
  if (answer.status >= 300 && !isBroken) return answer;
  switch (fault.kind) {
    case 'noSubjectToken': {
      const { 'X-Subject-Token': _taken, ...headers } = answer.headers;
      // The platform has it in its body too.
      return { ...answer, headers, body: rewrite(answer.body, (whole) => ({ ...whole, id: undefined })) };
    }
    case 'noExpiry':
      return { ...answer, body: rewriteExpiry(answer.body, () => undefined) };
    case 'expiredAlready':
      return { ...answer, body: rewriteExpiry(answer.body, () => timestamp(nowMs - (fault.byMs ?? 60_000))) };
    case 'clockSkew':
      return {
        ...answer,
        headers: { ...answer.headers, Date: new Date(nowMs + fault.byMs).toUTCString() },
        body: rewriteExpiry(answer.body, (expiry) => timestamp(Date.parse(expiry) + fault.byMs)),
      };
    case 'halfTold':
      return { ...answer, body: dropLookedUpFields(answer.body, fault) };
    case 'short':
      return { ...answer, body: cutShort(answer.body, fault.rows) };
    case 'truncated':
      return { ...answer, body: answer.body.subarray(0, fault.keepBytes) };
    default:
      return answer;
  }
}

interface TokenBody {
  readonly token: { readonly expires_at: string };
}

function rewrite(body: Buffer, change: (body: TokenBody) => object): Buffer {
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString()) as TokenBody)));
}

function rewriteExpiry(body: Buffer, change: (expiry: string) => string | undefined): Buffer {
  return rewrite(body, (whole) => ({
    ...whole,
    token: { ...whole.token, expires_at: change(whole.token.expires_at) },
  }));
}
