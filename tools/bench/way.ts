import { Session, type Profiler } from 'node:inspector';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createShortPauses, minuteMs } from '../../test/support/manual-clock.ts';
import { table } from '../docs/section.ts';
import { exporterHere } from '../exporter-here.ts';
import { modes, type Mode } from './contest.ts';

/** Scrapes after which the mirror is full, and details are due in turn. */
const warmUps = 8;
const scrapes = 12;
const servers = 1000;

interface Entered {
  readonly files: number;
  /** Those that have a name. */
  readonly functions: number;
  readonly withoutName: number;
}

/** What a warm scrape enters of src, as V8 counts it: of each of some scrapes the files and the functions. */
export async function way(): Promise<string> {
  const rows: string[][] = [];
  for (const mode of Object.keys(modes) as Mode[]) {
    const entered = await watch(modes[mode]);
    const spread = (key: keyof Entered) => {
      const sorted = entered.map((one) => one[key]).toSorted((one, more) => one - more);
      return `${sorted[Math.floor(sorted.length / 2)]} (${sorted.at(-1)})`;
    };
    rows.push([mode, spread('files'), spread('functions'), spread('withoutName')]);
  }
  const words = `Of ${scrapes} scrapes, a minute apart, ${servers} servers, one in a hundred changed: the median and the most.`;
  return `${words}\n\n${table(['lists', 'files of src', 'functions', 'and such without a name'], rows)}`;
}

async function watch(settings: object): Promise<Entered[]> {
  const clock = createShortPauses();
  const fleet = createFleet({ servers, now: clock.now });
  await clock.advance(60 * minuteMs);
  const exporter = await exporterHere({ fleet, clock, settings: () => settings });
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
      const changed = fleet.servers.filter((_, index) => index % 100 === number).map(({ id }) => id);
      fleet.changeAll(changed, ({ status }) => ({ status: status === 'running' ? 'ready' : 'running' }));
      // What was called is counted from here on.
      await ask('Profiler.takePreciseCoverage');
      await exporter.scrape();
      const { result } = await ask<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
      if (number >= warmUps) entered.push(enteredOf(result));
    }
  } finally {
    session.disconnect();
    await exporter.stop();
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
