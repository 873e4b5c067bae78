import { Failure } from '../transport/failure.ts';
import type { Page, PlatformApi, ReadContext } from './api.ts';
import { createRegister, type Outcome } from './register.ts';
import type { ReadServer, Rejection, Server } from './server.ts';

/** Takes in the servers of one reading of the list, each once; `offset` is that of their page. */
export interface Sink {
  add(server: Server, offset: number): void;
}

export interface Listing<Taken extends Sink> {
  readonly intake: Taken;
  /** `total` as the platform gave it last. */
  readonly reported: number | undefined;
  readonly received: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
  /** Undefined if it had but one page, or no total. */
  readonly layout: Layout | undefined;
}

/** How a list was laid out: enough to ask for the first pages of the next one at once. */
export interface Layout {
  /** Servers in a full page. */
  readonly stride: number;
  readonly total: number;
}

export interface ListPlan {
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly concurrency: number;
}

/** Lists every server, or fails: never a part. A list that moved too much while it was read is read once more. */
export async function listServers<Taken extends Sink>(input: {
  api: PlatformApi;
  plan: ListPlan;
  readServer: ReadServer;
  createSink: () => Taken;
  context: ReadContext;
  /** That of the last list. Without it, the first page is read alone, and the others are planned from it. */
  layout?: Layout | undefined;
  onPage?: (progress: { received: number; reported: number | undefined }) => void;
}): Promise<Listing<Taken>> {
  let reading = await readList(input);
  if (reading.shortBy > 0 || reading.shrunk || reading.misjudged) {
    const again = await readList({ ...input, layout: undefined });
    reading = { ...again, pages: reading.pages + again.pages };
  }
  const { shortBy, expected } = reading;
  if (shortBy > 10 && shortBy > expected / 100) {
    const words = `${expected - shortBy} servers arrived, ${expected} were announced, and a second reading did not help`;
    throw new Failure('truncated', `GET /servers: ${words}`, { operation: 'list_servers' });
  }
  return reading;
}

interface Reading<Taken extends Sink> extends Listing<Taken> {
  readonly expected: number;
  readonly shortBy: number;
  /** So many servers were deleted while paging that rows may have slipped past a page that was read already. */
  readonly shrunk: boolean;
  /** The first page was not as long as the last list had it, so the others may not begin where it ended. */
  readonly misjudged: boolean;
}

async function readList<Taken extends Sink>(
  input: Parameters<typeof listServers<Taken>>[0],
): Promise<Reading<Taken>> {
  const { api, plan, context } = input;
  const intake = input.createSink();
  const register = createRegister(input.readServer, intake.add);
  const abort = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, abort.signal]) : abort.signal;
  let pages = 0;
  let total: number | undefined;
  let ended = false;
  let next = 0;
  let bound = input.layout?.total ?? 0;
  let stride = input.layout?.stride ?? plan.pageSize;
  let fullPage = stride;
  let first: Page<Outcome> | undefined;

  if (!input.layout) await readNext();
  const workers = Array.from({ length: plan.concurrency }, async () => {
    while (isGoingOn()) await readNext();
  });
  await Promise.all(workers).catch((error: unknown) => {
    abort.abort(error);
    throw error;
  });

  const arrived = register.arrived();
  const firstTotal = first?.total ?? arrived;
  const expected = Math.min(firstTotal, total ?? arrived);
  return {
    intake,
    reported: total ?? (arrived === 0 ? 0 : undefined),
    received: register.received(),
    rejected: register.rejected,
    pages,
    layout: total !== undefined && stride === fullPage && pages > 1 ? { stride, total } : undefined,
    expected,
    shortBy: expected - arrived,
    shrunk: firstTotal - expected > expected / 1000,
    misjudged: first?.records.length !== stride,
  };

  function isGoingOn(): boolean {
    return !ended && next <= bound;
  }

  async function readNext(): Promise<void> {
    const offset = next;
    next += stride;
    if (offset / stride >= plan.pageLimit) throw tooManyPages(plan.pageLimit);
    const page = await readPage(offset);
    if (offset === 0) takeMeasure(page);
    planOn(offset, page);
  }

  /** The first page, if read alone, tells how far apart the others are. */
  function takeMeasure(page: Page<Outcome>): void {
    first = page;
    if (input.layout) return;
    stride = next = page.records.length;
    // A platform that does not say its limit may have cut ours: only an empty page is the end then.
    fullPage = Math.max(stride, Math.min(plan.pageSize, page.limit || 1));
  }

  /** Each record is counted and forgotten while the page is parsed; what is left of the page is what became of them. */
  async function readPage(offset: number): Promise<Page<Outcome>> {
    const page = { offset, limit: plan.pageSize };
    return api.listPage(page, { ...context, signal }, (record) => register.take(record, offset));
  }

  function planOn(offset: number, page: Page<Outcome>): void {
    register.pageDone(page.records);
    pages += 1;
    const grew = (page.total ?? 0) > (total ?? Infinity);
    total = page.total ?? total;
    const broughtNothing = !page.records.includes('new') && !grew;
    if (page.records.length < fullPage || broughtNothing) ended = true;
    // The end shows itself as a short page, so the plan reaches one page past a full one, whatever `total` says.
    bound = Math.max(bound, total ?? 0, offset + stride);
    input.onPage?.({ received: register.received(), reported: total });
  }
}

function tooManyPages(pageLimit: number): Failure {
  const message = `GET /servers: the list did not end within ${pageLimit} pages (page_limit)`;
  return new Failure('truncated', message, { operation: 'list_servers' });
}
