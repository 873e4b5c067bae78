import { check } from '../../src/check/check.ts';
import { systemClock, type Clock } from '../../src/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { configOf } from '../support/simulated.ts';

interface Options {
  readonly asJson?: boolean;
  readonly isWatched?: boolean;
  readonly clock?: Clock;
}

export async function runCheck(clouds: Record<string, object>, options: Options = {}) {
  const { asJson = false, isWatched = false, clock = systemClock } = options;
  const config = await configOf(clouds);
  const report: string[] = [];
  const progress: string[] = [];
  const code = await check({
    loadConfig: async () => config,
    version: '0.0.0-test',
    asJson,
    clock,
    log: silentLog,
    write: (text) => void report.push(text),
    progress: { isWatched, write: (text) => void progress.push(text) },
  });
  return { code, text: report.join(''), progress };
}

/** What scripts are told. */
interface Report {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly clouds: readonly {
    readonly ok: boolean;
    readonly failure?: Readonly<Record<'reason' | 'message' | 'meaning' | 'cure', string>>;
    readonly findings: readonly { readonly what: string; readonly cure: string }[];
  }[];
}

export async function checkAsJson(clouds: Record<string, object>, clock?: Clock) {
  const { code, text } = await runCheck(clouds, { asJson: true, ...(clock && { clock }) });
  return { code, ...(JSON.parse(text) as Report) };
}
