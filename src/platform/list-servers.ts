import { Failure } from '../transport/failure.ts';
import type { Page, PlatformApi, ReadContext } from './api.ts';
import { rejections, type ReadServer, type Rejection, type Server } from './server.ts';

/** Takes in the servers of one reading of the list, a page at a time, each server once. */
export interface Intake {
  page(offset: number, servers: readonly Server[]): void;
}

export interface Listing<Taken extends Intake> {
  readonly intake: Taken;
  /** `total` as the platform gave it last. */
  readonly reported: number | undefined;
  readonly received: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
}

export interface ListPlan {
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly concurrency: number;
}

/** Lists every server, or fails: never a part. A list that moved too much while it was read is read once more. */
export async function listServers<Taken extends Intake>(input: {
  api: PlatformApi;
  plan: ListPlan;
  readServer: ReadServer;
  createIntake: () => Taken;
  context: ReadContext;
  onPage?: (progress: { received: number; reported: number | undefined }) => void;
}): Promise<Listing<Taken>> {
  let reading = await readList(input);
  if (reading.shortBy > 0 || reading.shrunk) {
    const again = await readList(input);
    reading = { ...again, pages: reading.pages + again.pages };
  }
  const { shortBy, expected } = reading;
  if (shortBy > 10 && shortBy > expected / 100) {
    const words = `${expected - shortBy} servers arrived, ${expected} were announced, and a second reading did not help`;
    throw new Failure('truncated', `GET /servers: ${words}`, { operation: 'list_servers' });
  }
  return reading;
}

interface Reading<Taken extends Intake> extends Listing<Taken> {
  readonly expected: number;
  readonly shortBy: number;
  /** So many servers were deleted while paging that rows may have slipped past a page that was read already. */
  readonly shrunk: boolean;
}

async function readList<Taken extends Intake>(
  input: Parameters<typeof listServers<Taken>>[0],
): Promise<Reading<Taken>> {
  const { api, plan, readServer, context } = input;
  const intake = input.createIntake();
  const seen = new Set<string>();
  const rejected = new Map<Rejection, number>(rejections.map((reason) => [reason, 0]));
  const abort = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, abort.signal]) : abort.signal;
  let received = 0;
  let nameless = 0;
  let pages = 0;
  let total: number | undefined;
  let ended = false;

  const firstPage = await api.listPage({ offset: 0, limit: plan.pageSize }, context);
  const stride = firstPage.records.length;
  // A platform that does not say its limit may have cut ours: only an empty page is the end then.
  const fullPage = Math.max(stride, Math.min(plan.pageSize, firstPage.limit || 1));
  let next = stride;
  let bound = 0;
  takePage(0, firstPage);

  const workers = Array.from({ length: plan.concurrency }, async () => {
    while (!ended && next <= bound) {
      const offset = next;
      next += stride;
      if (offset / stride >= plan.pageLimit) throw tooManyPages(plan.pageLimit);
      takePage(offset, await api.listPage({ offset, limit: plan.pageSize }, { ...context, signal }));
    }
  });
  await Promise.all(workers).catch((error: unknown) => {
    abort.abort(error);
    throw error;
  });

  const arrived = seen.size + nameless;
  const firstTotal = firstPage.total ?? arrived;
  const expected = Math.min(firstTotal, total ?? arrived);
  return {
    intake,
    reported: total ?? (arrived === 0 ? 0 : undefined),
    received,
    rejected,
    pages,
    expected,
    shortBy: expected - arrived,
    shrunk: firstTotal - expected > expected / 1000,
  };

  function takePage(offset: number, page: Page): void {
    const rows = page.records.length;
    const knownBefore = seen.size;
    const servers = page.records.map(takeRecord).filter((server) => server !== undefined);
    received += servers.length;
    pages += 1;
    const grew = (page.total ?? 0) > (total ?? Infinity);
    total = page.total ?? total;
    const broughtNothing = seen.size === knownBefore && !grew;
    if (rows < fullPage || broughtNothing) ended = true;
    // The end shows itself as a short page, so the plan reaches one page past a full one, whatever `total` says.
    bound = Math.max(bound, total ?? 0, offset + stride);
    intake.page(offset, servers);
    input.onPage?.({ received, reported: total });
  }

  /** The record as a server if it is one and is new. */
  function takeRecord(record: unknown): Server | undefined {
    const server = readServer(record);
    const id = typeof server === 'string' ? idOf(record) : server.id;
    if (id === undefined) nameless += 1;
    else if (seen.has(id)) return undefined;
    else seen.add(id);
    if (typeof server !== 'string') return server;
    rejected.set(server, rejected.get(server)! + 1);
    return undefined;
  }
}

function idOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null || !('id' in record)) return undefined;
  return typeof record.id === 'string' && record.id !== '' ? record.id : undefined;
}

function tooManyPages(pageLimit: number): Failure {
  const message = `GET /servers: the list did not end within ${pageLimit} pages (page_limit)`;
  return new Failure('truncated', message, { operation: 'list_servers' });
}
