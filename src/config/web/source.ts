import { systemClock, type Clock } from '../../clock.ts';
import { createFileReader, type FileReader } from '../file-reader.ts';
import { ConfigError } from '../load.ts';
import { readWebFile, type WebConfig, type WebReading } from './file.ts';
import { lostRestrictions, restartProblems } from './changes.ts';

/** The web configuration as it is now: a renewed certificate or a changed password needs no restart. */
export interface WebSource {
  current(): WebConfig;
  /** Looks whether the files changed, and tells what is in force then. It never waits for long. */
  refresh(): Promise<WebConfig>;
}

/** Told of each change once: that it is in force, or why it is not. */
export interface WebObserver {
  changed(): void;
  refused(problems: readonly string[]): void;
  /** The file asks for less than before; `isInForce` is false at first, until it has stayed so for a while. */
  loosened?(words: readonly string[], isInForce: boolean): void;
}

/** A changed file is read twice, this far apart: one that is being written differs. */
const settleMs = 100;
/** A file that asks for less may be half written and stay so for a moment, so it has to stay the same for longer. */
const looseMs = 10_000;
/** A dead mount must not hold up requests. */
const patienceMs = 1000;

/** Throws a ConfigError if the file is bad at the start; later a bad file leaves the last good one in force. */
export async function openWebSource(
  file: string,
  observer: WebObserver,
  { clock = systemClock, files = createFileReader() }: { clock?: Clock; files?: FileReader } = {},
): Promise<WebSource> {
  let seen = await look();
  if ('problems' in seen.outcome) throw new ConfigError(seen.outcome.problems);
  let { config } = seen.outcome;
  let loose: { readonly config: WebConfig; readonly words: string[]; readonly since: number } | undefined;
  let looking: Promise<void> | undefined;

  /** The stamp is taken before what counts is read, so that a change in between is seen the next time. */
  async function look(): Promise<WebReading & { readonly stamp: string }> {
    const stamp = await stampOf((await readWebFile(file, files)).files);
    return { ...(await readWebFile(file, files)), stamp };
  }

  async function stampOf(paths: readonly string[]): Promise<string> {
    return (await Promise.all(paths.map((path) => files.stamp(path)))).join();
  }

  async function lookAgain(): Promise<void> {
    if ((await stampOf(seen.files)) === seen.stamp) {
      if (loose && clock.monotonic() - loose.since >= looseMs) takeLoose(loose);
      return;
    }
    const first = await look();
    await clock.wait(settleMs);
    const second = await look();
    if (second.print !== first.print) return;
    seen = second;
    loose = undefined;
    judge(second);
  }

  function judge({ outcome, isComplete }: WebReading): void {
    if ('problems' in outcome) return observer.refused(outcome.problems);
    if (!isComplete)
      return observer.refused([`${file}: does not end with a line break, so it may be half written`]);
    const problems = restartProblems(file, config, outcome.config);
    if (problems.length > 0) return observer.refused(problems);
    const words = lostRestrictions(config, outcome.config);
    if (words.length > 0) {
      loose = { config: outcome.config, words, since: clock.monotonic() };
      return observer.loosened?.(words, false);
    }
    config = outcome.config;
    return observer.changed();
  }

  function takeLoose({ config: next, words }: NonNullable<typeof loose>): void {
    config = next;
    loose = undefined;
    observer.loosened?.(words, true);
    observer.changed();
  }

  return {
    current: () => config,
    async refresh() {
      looking ??= lookAgain().finally(() => (looking = undefined));
      const patience = new AbortController();
      const late = clock.wait(patienceMs, patience.signal).catch(() => undefined);
      await Promise.race([looking, late]).finally(() => patience.abort());
      return config;
    },
  };
}
