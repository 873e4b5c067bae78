import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { timestamp, type Answer } from '../../src/simulator/answer.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { lookups, type Fault, type Missing } from './faults.ts';
import type { Arrival } from './journal.ts';

type Json = Readonly<Record<string, unknown>>;
type Find = (id: string) => ServerRecord | undefined;

/** Faults that leave no answer at all. False if there will be one. */
export async function failBeforeAnswer(response: ServerResponse, fault: Fault): Promise<boolean> {
  if (fault.kind === 'reset') response.socket?.resetAndDestroy();
  if (fault.kind === 'hangUp') response.socket?.destroy();
  if (fault.kind === 'hang') await forever();
  return fault.kind === 'reset' || fault.kind === 'hangUp';
}

/** Ended by the client or by the simulator's own close, which destroy the socket. */
function forever(): Promise<never> {
  return new Promise(() => {});
}

/** The answer that a fault puts in the place of the real one, if it is of that sort. */
export function replaceAnswer(fault: Fault, { query, headers, body }: Arrival): Answer | undefined {
  switch (fault.kind) {
    case 'status': {
      const more = fault.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) };
      const flat = { class: 'SimulatedError', code: fault.code, details: 'a fault that was switched on' };
      return tell(fault.code, fault.body ?? flat, more);
    }
    case 'echo': {
      const details = `you sent ${JSON.stringify([query, headers, body])}`;
      if (fault.code === 200) return tell(200, details, { 'Content-Type': 'text/plain' });
      return tell(fault.code, { class: 'EchoError', code: fault.code, details }, { Location: details });
    }
    case 'redirect':
      return { status: fault.code ?? 302, headers: { Location: fault.location }, body: Buffer.alloc(0) };
    case 'json':
      return tell(200, JSON.stringify(fault.json));
    case 'text':
      return tell(200, fault.text, { 'Content-Type': 'text/html' });
    case 'garbage':
      return tell(200, 'garbage '.repeat(250_000));
    default:
      return undefined;
  }
}

function tell(status: number, body: unknown, more: Record<string, string> = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'Content-Type': 'application/json', ...more }, body: Buffer.from(text) };
}

/** The real answer with the lie that the fault tells; other faults leave it as it is. */
export function alterAnswer(answer: Answer, fault: Fault, nowMs: number, find: Find): Answer {
  const { headers, body } = answer;
  if (fault.kind === 'truncated') return { ...answer, body: body.subarray(0, fault.keepBytes) };
  if (answer.status >= 300) return answer;
  switch (fault.kind) {
    case 'noSubjectToken': {
      const { 'X-Subject-Token': _taken, ...others } = headers;
      // The platform has it in its body too.
      return { status: 200, headers: others, body: rewrite(body, (whole) => ({ ...whole, id: undefined })) };
    }
    case 'noExpiry':
      return { ...answer, body: rewriteExpiry(body, () => undefined) };
    case 'expiredAlready':
      return { ...answer, body: rewriteExpiry(body, () => timestamp(nowMs - 60_000)) };
    case 'clockSkew': {
      const date = new Date(nowMs + fault.byMs).toUTCString();
      const later = (expiry: string) => timestamp(Date.parse(expiry) + fault.byMs);
      return { ...answer, headers: { ...headers, Date: date }, body: rewriteExpiry(body, later) };
    }
    case 'halfTold':
      return { ...answer, body: dropLookedUpFields(body, fault, find) };
    case 'reversed':
      return { ...answer, body: rewriteRows(body, (rows) => rows.toReversed()) };
    case 'rawControls': {
      const raw = (_: string, code: string) => String.fromCharCode(parseInt(code, 16));
      return { ...answer, body: Buffer.from(body.toString().replace(/\\u(00[01][\da-f])/g, raw)) };
    }
    case 'short':
      return { ...answer, body: rewriteRows(body, (rows) => rows.slice(0, fault.rows)) };
    default:
      return answer;
  }
}

export function rewrite(body: Buffer, change: (whole: Json) => unknown): Buffer {
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString()) as Json)));
}

/** Of the one list that an answer has. */
export function rewriteRows(body: Buffer, change: (rows: readonly Json[], key: string) => unknown): Buffer {
  return rewrite(body, (page) => {
    const key = Object.keys(page).find((name) => Array.isArray(page[name]));
    return key === undefined ? page : { ...page, [key]: change(page[key] as Json[], key) };
  });
}

function rewriteExpiry(body: Buffer, change: (expiry: string) => string | undefined): Buffer {
  return rewrite(body, (whole) => {
    const token = whole['token'] as { readonly expires_at: string };
    return { ...whole, token: { ...token, expires_at: change(token.expires_at) } };
  });
}

/** What a record says instead. */
const blanksOf: Partial<Readonly<Record<Missing, Json>>> = {
  disks: { disk: 0, disk_count: 0 },
  devices: { is_gpu: false },
  usage: { used_capacity: 0, waste_capacity: 0 },
};

/** An answer with 200 and wrong numbers: asked for again, it is right. */
function dropLookedUpFields(body: Buffer, fault: Extract<Fault, { kind: 'halfTold' }>, find: Find): Buffer {
  const { missing, which = () => true } = fault;
  const kinds = [missing].flat() as readonly Missing[];
  const lost = new Set(kinds.flatMap((kind) => lookups[kind]));
  const blanks = Object.assign({}, ...kinds.map((kind) => blanksOf[kind])) as Json;
  return rewriteRows(body, (rows, key) => {
    // A host, a storage and a zone know by themselves where they are.
    if (key !== 'servers') for (const own of ['zone_id', 'host_status']) lost.delete(own);
    return rows.map((row, position) => {
      const kept = Object.entries(row).filter(([field]) => !lost.has(field));
      const told = kept.map(([field, value]) => [field, field in blanks ? blanks[field] : value]);
      if (!which(position, String(row['id']))) return row;
      const half = Object.fromEntries(told) as Json;
      return kinds.includes('laterDisks') ? { ...half, ...firstDisk(half, find) } : half;
    });
  });
}

/** What a record says that has only the first of its disks; one of which they are missing anyway says nothing else. */
function firstDisk({ id, disk_count }: Json, find: Find): Json {
  const [first] = find(String(id))?.disks_info ?? [];
  return first && Number(disk_count) > 1 ? { disk: first.size, disk_count: 1, disks_info: [first] } : {};
}

/** Writes the answer as the fault lets it through; returns when nothing more will be written. */
export async function deliver(response: ServerResponse, answer: Answer, fault?: Fault): Promise<void> {
  const { status, headers, body } = answer;
  response.writeHead(status, { ...headers, ...lengthHeader(body.length, fault) });
  let left = body;
  switch (fault?.kind) {
    case 'resetInBody':
      await writeAll(response, body.subarray(0, fault.afterBytes));
      response.socket?.resetAndDestroy();
      return;
    case 'hangInBody':
      await writeAll(response, body.subarray(0, fault.afterBytes));
      return forever();
    case 'drip':
      for (; left.length > 0 && !response.destroyed; left = left.subarray(fault.bytes)) {
        await writeAll(response, left.subarray(0, fault.bytes));
        await (fault.pause ?? nextTurn)();
      }
      break;
    case 'contentLength':
      await writeAll(response, body);
      response.socket?.end();
      return;
    case 'closeIdle':
      closeWhenIdle(response);
  }
  response.end(left);
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

/** Without a word before, as the real platform does after ten idle seconds. */
function closeWhenIdle(response: ServerResponse): void {
  const { socket } = response;
  response.once('finish', () => {
    const timer = setTimeout(() => socket?.destroy());
    socket?.once('data', () => clearTimeout(timer));
  });
}
