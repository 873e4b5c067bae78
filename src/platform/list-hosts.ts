import { Failure } from '../transport/failure.ts';
import type { Page, PlatformApi, ReadContext } from './api.ts';
import { readHost, type ListedHost } from './host.ts';
import type { KnownRecords, RecordReading } from './known-records.ts';
import {
  halve,
  learn,
  nextAsk,
  repair,
  startPlan,
  verdictOf,
  type Ask,
  type PlanSettings,
} from './page-plan.ts';

interface HostListInput {
  readonly api: PlatformApi;
  readonly plan: PlanSettings;
  /** The fields to ask for; all if there are none. */
  readonly fields: readonly string[];
  readonly context: ReadContext;
  /** What was made of the same records before. */
  readonly known: KnownHosts;
}

/** With null for a record that is no host. */
export type KnownHosts = KnownRecords<ListedHost | null>;

/** Lists every host, or fails: never a part. One page after the other, so that servers are not kept waiting. */
export async function listHosts(input: HostListInput): Promise<readonly ListedHost[]> {
  const known = input.known.begin();
  const first = await readList(input, known);
  const { hosts, shortBy, expected } = first.doubt ? await readList(input, known) : first;
  if (shortBy <= 0) {
    known.keep();
    return hosts;
  }
  const words = `${expected - shortBy} hosts arrived, ${expected} were announced, and a second reading did not help`;
  throw failed('truncated', words);
}

async function readList(input: HostListInput, known: RecordReading<ListedHost | null>) {
  const { api, fields } = input;
  const context = { ...input.context, retryTimeouts: false };
  /** With null, by its row, for what is no host: it still counts against the platform's total. */
  const arrived = new Map<string, ListedHost | null>();
  let plan = startPlan(input.plan);

  function takeAsk(): Ask | undefined {
    const step = nextAsk(plan);
    plan = step.plan;
    if (step.ask === 'too-many') throw failed('truncated', 'the list did not end within page_limit');
    if (step.ask) return step.ask;
    const repaired = repair(plan);
    if (!repaired) return undefined;
    plan = repaired;
    return takeAsk();
  }

  async function readPage(ask: Ask): Promise<Page<ListedHost | null> | undefined> {
    try {
      return await api.listHosts({ ...ask, fields }, context, (record) => readHost(record) ?? null, known);
    } catch (error) {
      const isTimeout = error instanceof Failure && error.reason === 'timeout';
      const halved = isTimeout && !context.signal?.aborted ? halve(plan, ask) : undefined;
      if (!halved) throw error;
      plan = halved;
      return undefined;
    }
  }

  for (let ask = takeAsk(); ask; ask = takeAsk()) {
    const page = await readPage(ask);
    if (!page) continue;
    const { offset } = ask;
    const read = page.records;
    const before = arrived.size;
    for (const [index, host] of read.entries()) arrived.set(host?.id ?? `row ${offset + index}`, host);
    plan = learn(plan, {
      ...ask,
      rows: read.map((host) => host?.id ?? ''),
      isNew: arrived.size > before,
      answeredLimit: page.limit,
      total: page.total,
    });
  }
  const hosts = [...arrived.values()].filter((host) => host !== null);
  return { hosts, ...verdictOf(plan, arrived.size) };
}

function failed(reason: 'truncated', words: string): Failure {
  return new Failure(reason, `GET /hosts: ${words}`, { operation: 'list_hosts' });
}
