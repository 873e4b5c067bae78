import { Failure } from '../transport/failure.ts';
import type { Page } from './api.ts';
import type { AnyRecord, Seats, Suspicion, SuspicionMemory } from './suspicion.ts';

/** What a page lacks changes from attempt to attempt: the platform is in trouble, and its numbers are not to be used. */
const mostAttempts = 5;

/** A page that was read to its end, and whose records are told in full; only such a page is counted. */
export async function readWholePage<Record extends AnyRecord>(
  ask: () => Promise<Page<Record>>,
  memory: SuspicionMemory,
  options: { onDoubt?: ((lacks: readonly Suspicion[]) => void) | undefined; seats?: Seats | undefined } = {},
): Promise<Page<Record>> {
  let page = await ask();
  const judge = memory.judge(page.records, options.seats);
  for (let attempts = 1; judge.doubts().length > 0; attempts += 1) {
    if (attempts === mostAttempts) throw toldByHalf(judge.doubts());
    options.onDoubt?.(judge.doubts());
    page = await ask();
    judge.add(page.records);
  }
  return { ...page, records: judge.best() };
}

function toldByHalf(lacks: readonly Suspicion[]): Failure {
  const message = `GET /servers: ${mostAttempts} answers lacked the ${lacks.join(' and ')} of some servers, each time of others`;
  return new Failure('malformed', message, { operation: 'list_servers' });
}
