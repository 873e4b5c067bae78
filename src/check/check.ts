import type { LookupFunction } from 'node:net';
import type { Clock } from '../clock.ts';
import { createCloud, type Cloud } from '../cloud.ts';
import { findingsOf, slowListSeconds, type Facts } from './findings.ts';
import { jsonReport, textReport, type CloudReport } from './report.ts';
import { countSeries } from './series.ts';
import { ConfigError, type CloudConfig, type Config } from '../config/load.ts';
import type { Token } from '../identity/issue.ts';
import type { CloudView } from '../inventory/collector.ts';
import type { Progress } from '../inventory/trace.ts';
import type { Log } from '../log.ts';
import { findEndpoint } from '../platform/catalog.ts';
import { createBodyMemory } from '../transport/body.ts';
import type { FailureReason } from '../transport/advice.ts';
import { Failure } from '../transport/failure.ts';
import { inTime } from '../transport/in-time.ts';
import { createLookup } from '../transport/names.ts';
import { createYieldToEventLoop, type YieldToEventLoop } from '../yield-to-event-loop.ts';

export interface CheckInput {
  readonly loadConfig: () => Promise<Config>;
  readonly version: string;
  readonly asJson: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly write: (text: string) => void;
  /** Takes what is only of interest while one waits; where nobody watches, one line at the end. */
  readonly progress: { readonly isWatched: boolean; write(text: string): void };
}

/** Tries every configured cloud as an exporter would; 0 if all of them can be collected, 1 if not. */
export async function check(input: CheckInput): Promise<number> {
  const { clock, progress } = input;
  const startedAt = clock.monotonic();
  let config: Config;
  try {
    config = await input.loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError) || !input.asJson) throw error;
    input.write(jsonReport([], { ...input, problems: error.problems }));
    return 1;
  }
  const watch = createProgress(progress, config.clouds.length);
  const yieldToEventLoop = createYieldToEventLoop();
  const lookup = createLookup({ clock });
  const reports = await Promise.all(
    config.clouds.map((cloud) => examine(cloud, { ...input, yieldToEventLoop, lookup, watch })),
  );
  watch.finish((clock.monotonic() - startedAt) / 1000);
  const render = input.asJson ? jsonReport : textReport;
  input.write(render(reports, input));
  return reports.every(({ failure }) => failure === undefined) ? 0 : 1;
}

async function examine(
  config: CloudConfig,
  input: CheckInput & { yieldToEventLoop: YieldToEventLoop; lookup: LookupFunction; watch: Watch },
): Promise<CloudReport> {
  const { clock, watch } = input;
  const retries: FailureReason[] = [];
  const cloud = createCloud(config, {
    ...input,
    bodies: createBodyMemory(),
    observer: { ...silentObserver, retrying: ({ reason }) => void retries.push(reason) },
    onPage: (page) => watch.page(config.name, page),
  });
  const facts: { -readonly [Part in keyof Facts]: Facts[Part] } = { config, retries, now: 0 };
  try {
    facts.token = await logIn(cloud, clock);
    const { base_url, interface: kind, region_name: region } = config.settings;
    facts.endpoint = base_url ?? findEndpoint(facts.token.catalog, { interface: kind, region });
    facts.view = await list(cloud);
    facts.plainSeconds = await timePlainList(cloud, facts.view);
    facts.series = await countSeries(facts.view, input.yieldToEventLoop);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    facts.failure = error;
  }
  cloud.collector.stop();
  watch.done();
  facts.now = clock.now();
  return { ...facts, findings: findingsOf(facts) };
}

const silentObserver = {
  attempted: () => undefined,
  loggingIn: () => undefined,
  loginFailed: () => undefined,
  collecting: () => undefined,
  collectionFailed: () => undefined,
  answeredStale: () => undefined,
};

function logIn({ tokens, config }: Cloud, clock: Clock): Promise<Token> {
  const ms = config.settings.collection_timeout;
  const deadline = clock.monotonic() + ms;
  const words = `login did not end within the ${ms / 1000} s of collection_timeout: a secret file, a name server or the platform hangs`;
  const timeoutError = () => new Failure('timeout', words, { operation: 'login' });
  return inTime((signal) => tokens.obtain(deadline, signal), { clock, ms, timeoutError });
}

/** A collection ends itself when its own time is over; the minute is for it to say so. */
async function list({ collector, config }: Cloud): Promise<CloudView> {
  const patienceMs = config.settings.collection_timeout + 60_000;
  const view = await collector.answer({ patienceMs, acceptAgeMs: 0, withServers: true });
  if (view.failure) throw view.failure;
  if (!view.snapshot) throw new Failure('timeout', 'the list did not end', { operation: 'list_servers' });
  return view;
}

/** The first two lists are detailed; where that is slow, how long the next ones take is worth knowing. */
async function timePlainList(cloud: Cloud, { durationSeconds = 0 }: CloudView): Promise<number | undefined> {
  const { details_max_age } = cloud.config.settings;
  if (durationSeconds <= slowListSeconds || details_max_age === 0) return undefined;
  await list(cloud);
  return (await list(cloud)).durationSeconds;
}

type Watch = ReturnType<typeof createProgress>;

/** One line that is written over and over while somebody watches. */
function createProgress({ isWatched, write }: CheckInput['progress'], clouds: number) {
  const pages = new Map<string, Progress>();
  let done = 0;

  function show(): void {
    if (!isWatched) return;
    const all = [...pages.values()];
    const received = all.reduce((sum, page) => sum + page.received, 0);
    const reported = all.reduce((sum, page) => sum + Math.max(page.received, page.reported ?? 0), 0);
    write(`\r\u001B[K${done} of ${clouds} clouds checked, ${received} of ${reported} servers read`);
  }

  show();
  return {
    page(cloud: string, page: Progress): void {
      pages.set(cloud, page);
      show();
    },
    done(): void {
      done += 1;
      show();
    },
    finish(seconds: number): void {
      const words = `${clouds} ${clouds === 1 ? 'cloud' : 'clouds'} checked in ${seconds.toFixed(1)} s`;
      write(isWatched ? '\r\u001B[K' : `${words}\n`);
    },
  };
}
