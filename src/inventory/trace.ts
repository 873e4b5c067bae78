import type { Clock } from '../clock.ts';
import type { LoginObserver } from '../identity/token.ts';
import { failureAdvice } from '../transport/advice.ts';
import type { Failure } from '../transport/failure.ts';
import type { RequestObserver } from '../transport/request.ts';
import type { Snapshot } from './snapshot.ts';

export interface CollectionObserver {
  collecting(): void;
  collectionFailed(failure: Failure): void;
  answeredStale(): void;
}

/** Is told what happens in one cloud, so that the modules where it happens know no metric. */
export type CloudObserver = RequestObserver & LoginObserver & CollectionObserver;

/** How far a reading of the list has come; `reported` is what the platform says it has. */
export interface Progress {
  readonly received: number;
  readonly reported: number | undefined;
}

export type Trace = ReturnType<typeof createTrace>;
export type CollectionTrace = ReturnType<typeof createCollectionTrace>;

/** Writes down the steps of a cloud's collections; only those of the latest one are kept. */
export function createTrace(clock: Clock, next: CloudObserver) {
  let latest: CollectionTrace | undefined;
  const note = (text: Words) => latest?.note(text);

  /** Notes what it is told, and passes it on. */
  const observer: CloudObserver = {
    ...next,
    collecting() {
      latest = createCollectionTrace(clock);
      note('collection started');
      next.collecting();
    },
    collectionFailed(failure) {
      const { reason, message, cure } = failure;
      note(`failed (${reason}): ${message}`);
      note(`${failureAdvice[reason].meaning} ${cure}`);
      latest?.end();
      next.collectionFailed(failure);
    },
    loggingIn(trigger) {
      note(`logging in (${trigger})`);
      next.loggingIn(trigger);
    },
    loginFailed(reason) {
      note(`login failed (${reason})`);
      next.loginFailed(reason);
    },
    attempted(event) {
      const { operation, code, bytes, url } = event;
      note(() => `${operation} ${showUrl(url)}: ${code}, ${bytes} bytes, ${event.seconds.toFixed(3)} s`);
      next.attempted(event);
    },
    retrying(event) {
      note(`${event.operation} is tried again in ${seconds(event.waitMs)} s (${event.reason})`);
      next.retrying(event);
    },
  };

  return {
    observer,
    note,
    latest: () => latest,
    collected(snapshot: Snapshot): void {
      note(describeSnapshot(snapshot));
      latest?.end();
    },
  };
}

/** Of a step that comes by the hundred, put together for who asks. */
type Words = string | (() => string);

const maxSteps = 500;

/** What one collection did, step by step, for a person who asks why. Holds no secret. */
function createCollectionTrace(clock: Clock) {
  const begunAt = clock.monotonic();
  const steps: { afterMs: number; text: Words }[] = [];
  let omitted = 0;
  let isRunning = true;
  return {
    /** What still happens after the end, such as the abort of a parallel page, belongs to no collection. */
    note(text: Words): void {
      if (!isRunning) return;
      steps.push({ afterMs: clock.monotonic() - begunAt, text });
      if (steps.length <= maxSteps) return;
      steps.shift();
      omitted += 1;
    },
    end: () => void (isRunning = false),
    isRunning: () => isRunning,
    /** The latest steps, each with the seconds since the start; how many earlier ones are left out comes first. */
    lines() {
      const before = omitted > 0 ? [`(${omitted} earlier steps are left out)`] : [];
      const lines = steps.map(({ afterMs, text }) => {
        const words = typeof text === 'string' ? text : text();
        return `${`+${seconds(afterMs)} s`.padStart(12)}  ${words}`;
      });
      return [...before, ...lines];
    },
  };
}

function describeSnapshot({ lists, projects }: Snapshot): string {
  const { received, pages, reported, rejected = [] } = lists.get('servers') ?? {};
  const skipped = [...rejected].flatMap(([reason, count]) => (count > 0 ? `${count} ${reason}` : []));
  const list = `${received} servers of ${projects} projects in ${pages} ${pages === 1 ? 'page' : 'pages'}`;
  const beside = [...lists].slice(1).map(([resource, { failure, received: count }]) => {
    const why = failure && `not listed (${failure.reason}): ${failure.message}`;
    return why ? `; ${resource} ${why}` : `; ${count} ${resource}`;
  });
  return `succeeded: ${list}, ${reported ?? 'no number'} announced, ${skipped.join(', ') || 'none'} rejected${beside.join('')}`;
}

/** Parameters come from the configuration; one that looks like a credential is not for everybody's eyes. */
const secretName = /pass|secret|token|key|ticket|sign|auth|cred/i;

function showUrl(url: URL): string {
  const fields = url.searchParams.getAll('field').length;
  const others = [...url.searchParams].filter(([name]) => name !== 'field');
  const query = others.map(
    ([name, value]) => `${name}=${secretName.test(name) ? '[hidden]' : showValue(value)}`,
  );
  if (fields > 0) query.push(`field=[${fields} fields]`);
  return `${url.origin}${url.pathname}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function showValue(value: string): string {
  const ids = /^id\.in\((.*)\)$/.exec(value)?.[1]?.split(',') ?? [];
  return ids.length > 1 ? `id.in([${ids.length} ids])` : encodeURIComponent(value);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
