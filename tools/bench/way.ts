import { Session, type Profiler } from 'node:inspector';
import { settingsFor } from '../../test/support/settings.ts';
import { startBilledCloud } from './billed-cloud.ts';
import { createShortPauses, exporterHere, minuteMs } from '../exporter-here.ts';
import { count, table } from './report.ts';
import { modes, type Mode } from './scenarios.ts';

/** Scrapes after which the mirror is full, and details are due in turn. */
const warmUps = 8;
const scrapes = 12;

interface Entered {
  readonly files: number;
  /** Those that have a name. */
  readonly functions: number;
  readonly withoutName: number;
}

/** What a warm scrape enters of src, as V8 counts it: of each of some scrapes the files and the functions. */
export async function way(servers: number): Promise<string> {
  const rows: string[][] = [];
  for (const mode of Object.keys(modes) as Mode[]) {
    const entered = await watch(servers, modes[mode]);
    const spread = (key: keyof Entered) => {
      const sorted = entered.map((one) => one[key]).toSorted((one, more) => one - more);
      return `${sorted[Math.floor(sorted.length / 2)]} (${sorted.at(-1)})`;
    };
    rows.push([mode, spread('files'), spread('functions'), spread('withoutName')]);
  }
  const title = `### What one warm scrape enters, ${count(servers)} servers, one in a hundred changed`;
  const columns = ['lists', 'files of src', 'functions', 'and such without a name'];
  return `${title}\n\nOf ${scrapes} scrapes, a minute apart, the median and the most.\n\n${table(columns, rows)}`;
}

async function watch(servers: number, settings: object): Promise<Entered[]> {
  const clock = createShortPauses();
  const cloud = await startBilledCloud(servers, clock.now);
  await clock.advance(60 * minuteMs);
  const exporter = await exporterHere(() => settingsFor(cloud, settings), clock);
  const session = new Session();
  session.connect();
  const ask = <Answer>(method: string, parameters: object = {}) =>
    new Promise<Answer>((resolve, reject) => {
      session.post(method, parameters, (error, answer) =>
        error ? reject(error) : resolve(answer as Answer),
      );
    });
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const entered: Entered[] = [];
  try {
    for (let number = 0; number < warmUps + scrapes; number += 1) {
      await clock.advance(minuteMs);
      cloud.change(100);
      // What was called is counted from here on.
      await ask('Profiler.takePreciseCoverage');
      await exporter.scrape();
      const { result } = await ask<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
      if (number >= warmUps) entered.push(enteredOf(result));
    }
  } finally {
    session.disconnect();
    await exporter.stop();
    await cloud.close();
  }
  return entered;
}

/** The simulated cloud is in the same process, and no part of the way. */
function enteredOf(scripts: readonly Profiler.ScriptCoverage[]): Entered {
  const own = scripts.filter(
    ({ url }) => /\/src\/(?!simulator\/)/.test(url) && !url.includes('node_modules'),
  );
  const called = own
    .map(({ functions }) => functions.filter(({ ranges }) => ranges[0]!.count > 0))
    .filter(({ length }) => length > 0);
  const all = called.flat();
  const named = all.filter(({ functionName }) => functionName !== '').length;
  return { files: called.length, functions: named, withoutName: all.length - named };
}
