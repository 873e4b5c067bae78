import { Failure } from '../transport/failure.ts';
import { createPace } from '../transport/pace.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Page, PlatformApi, ReadContext } from './api.ts';
import { evenLayout } from './even-pages.ts';
import type { KnownPages } from './known-page.ts';
import {
  canHalve,
  halve,
  learn,
  nextAsk,
  repair,
  startPlan,
  verdictOf,
  type Ask,
  type Layout,
  type PlanSettings,
} from './page-plan.ts';
import { readRecord } from './read-record.ts';
import type { Unread } from './record-text.ts';
import { createRegister, type ListSink, type Rejected } from './register.ts';
import type { RollCall, Seat } from './roll.ts';
import type { Rejection } from './server.ts';
import { idOf, noSeats, type Listed, type Seats, type Suspicion, type SuspicionMemory } from './suspicion.ts';
import { readWholePage } from './whole-page.ts';

/** What there is to say of a list beside its servers. */
export interface ListFacts {
  /** `total` as the platform gave it last. */
  readonly reported: number | undefined;
  readonly received: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
}

export interface Listing<Sink> extends ListFacts {
  readonly sink: Sink;
  readonly layout: Layout | undefined;
  /** `Date` of the first answer. */
  readonly answeredAt: number | undefined;
}

export interface ListPlan extends PlanSettings {
  readonly concurrency: number;
}

/** What takes the servers of one reading, and knows who has been taken. */
interface CountingSink<Item extends Listed | Seat> extends ListSink<Item> {
  readonly rollCall: RollCall<Item | Rejected>;
}

interface ListInput<Item extends Listed | Seat, Sink extends CountingSink<Item>> {
  readonly api: PlatformApi;
  readonly plan: ListPlan;
  /** What is kept of a record. */
  readonly read: (record: unknown) => Item | Rejection;
  readonly createSink: () => Sink;
  readonly context: ReadContext;
  /** That of the last list. Without it, the first page is read alone, and the others are planned from it. */
  readonly layout?: Layout | undefined;
  /** Whether names of places, disks and devices are looked up; true by default. */
  readonly details?: boolean;
  /** The fields to ask for; all if there are none. */
  readonly fields: readonly string[];
  readonly unread?: readonly Unread[];
  /** Only servers for which these hold; and more parameters of the same requests. */
  readonly filters?: readonly string[];
  readonly parameters?: readonly (readonly [string, string])[];
  readonly memory: SuspicionMemory;
  /** What was made of the same records before; without it, each is read. */
  readonly known?: KnownPages<Item | Rejected>;
  /** What there is to say of those that it has by a seat. */
  readonly seats?: Seats;
  /** A page is asked for again, because its records are told by half. */
  readonly onDoubt?: (lacks: readonly Suspicion[]) => void;
  readonly onPage?: (progress: { received: number; reported: number | undefined }) => void;
}

/** Lists every server, or fails: never a part. A list that moved too much while it was read is read once more. */
export async function listServers<Item extends Listed | Seat, Sink extends CountingSink<Item>>(
  input: ListInput<Item, Sink>,
): Promise<Listing<Sink>> {
  let reading = await readList(input);
  if (reading.doubt) {
    const again = await readList({ ...input, layout: undefined });
    reading = { ...again, pages: reading.pages + again.pages };
  }
  const { shortBy, expected } = reading;
  if (shortBy > 10 && shortBy > expected / 100)
    throw truncated(
      `${expected - shortBy} servers arrived, ${expected} were announced, and a second reading did not help`,
    );
  if (reading.mayHaveSlipped)
    throw truncated(
      'so many servers were deleted while the list was read, twice, that others may have slipped between its pages',
    );
  return reading;
}

async function readList<Item extends Listed | Seat, Sink extends CountingSink<Item>>(
  input: ListInput<Item, Sink>,
): Promise<Listing<Sink> & ReturnType<typeof verdictOf>> {
  const { api, context } = input;
  const sink = input.createSink();
  const register = createRegister<Item>(sink.rollCall, sink);
  const abort = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, abort.signal]) : abort.signal;
  const read = (record: unknown) => readRecord(input.read, record);
  const pace = createPace(input.plan.concurrency);
  // One page after the other: pieces of several pages in one turn of the event loop would make others wait.
  const enqueue = createSerialQueue();
  const pageContext: ReadContext = {
    ...context,
    signal,
    onRetry: (reason) => {
      if (reason === 'throttled' || reason === 'upstream') pace.troubled();
    },
  };
  const layout = input.layout && evenLayout(input.layout, input.plan);
  let plan = startPlan({ ...input.plan, pageSize: layout?.fullPage ?? input.plan.pageSize }, layout);
  let underWay = 0;
  let answeredAt: number | undefined;

  function takeAsk(): Ask | undefined {
    const step = nextAsk(plan);
    plan = step.plan;
    if (step.ask === 'too-many')
      throw truncated(`the list did not end within ${input.plan.pageLimit} pages (page_limit)`);
    return step.ask;
  }

  async function readPage(ask: Ask): Promise<void> {
    const page = await readOrHalve(ask);
    if (!page) return;
    const { records, limit, total } = page;
    answeredAt ??= page.answeredAt;
    const isNew = await enqueue(() => register.addPage(records, ask.offset));
    const rows = { length: records.length, at: (row: number) => idAt(records, row) };
    plan = learn(plan, { ...ask, rows, isNew, answeredLimit: limit, total });
    input.onPage?.({ received: register.received(), reported: plan.total });
  }

  function idAt(records: readonly (Item | Rejected)[], row: number): string | undefined {
    return row < records.length ? idOf(records[row]!, input.seats ?? noSeats) : undefined;
  }

  /** The platform works a request to its end though nobody waits: a page that timed out is not asked for again as it was. */
  async function readOrHalve(ask: Ask): Promise<Page<Item | Rejected> | undefined> {
    try {
      const { fields, unread, details, filters, parameters } = input;
      const request = { ...ask, fields, unread, details, filters, parameters };
      const askOnce = () =>
        api.listPage(request, { ...pageContext, retryTimeouts: !canHalve(ask) }, read, input.known);
      const page = await readWholePage(askOnce, input.memory, input);
      pace.succeeded();
      return page;
    } catch (error) {
      if (!isSlow(error) || signal.aborted || !canHalve(ask)) throw error;
      pace.troubled();
      plan = halve(plan, ask);
      return undefined;
    }
  }

  /** As many pages at once as the platform can bear: each that ends makes room for one, for none or for two. */
  async function readPages(): Promise<void> {
    await Promise.all(Array.from({ length: pace.limit() - underWay }, readNext));
  }

  async function readNext(): Promise<void> {
    const ask = takeAsk();
    if (!ask) return;
    underWay += 1;
    await readPage(ask);
    underWay -= 1;
    await readPages();
  }

  async function readAll(): Promise<void> {
    await readPages();
    const repaired = repair(plan);
    if (!repaired) return;
    plan = repaired;
    await readAll();
  }

  await readAll().catch((error: unknown) => {
    abort.abort(error);
    throw error;
  });
  const arrived = register.arrived();
  const verdict = verdictOf(plan, arrived);
  return {
    sink,
    reported: plan.total ?? (arrived === 0 ? 0 : undefined),
    received: register.received(),
    rejected: register.rejected,
    pages: plan.lessons.length,
    answeredAt,
    ...verdict,
    // What the platform can send at once is known from a list whose pages were not made even.
    layout: verdict.layout && { ...verdict.layout, ...(input.layout && { fullPage: input.layout.fullPage }) },
  };
}

/** One piece of work at a time, each in a turn of the event loop of its own. */
function createSerialQueue(): <Done>(work: () => Done | Promise<Done>) => Promise<Done> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(yieldToEventLoop).then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function truncated(words: string): Failure {
  return new Failure('truncated', `GET /servers: ${words}`, { operation: 'list_servers' });
}

function isSlow(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'timeout' && error.operation === 'list_servers';
}
