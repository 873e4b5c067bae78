import { setTimeout as wait } from 'node:timers/promises';
import type { Part } from './part.ts';
import type { Stage } from './stage.ts';
import type { Found } from './store.ts';

/** What was looked for, whether it was so, and the numbers. */
export interface Verdict {
  readonly title: string;
  readonly holds: boolean;
  readonly numbers: string;
  /** A time, which means something only on a machine that does nothing else. */
  readonly isTiming?: boolean;
}

/** What is not so, times left aside. */
export function verdictsThatFail(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ holds, isTiming }) => !holds && isTiming !== true);
}

export const cloudsJob = 'cloud-platform-exporter-clouds';

/** How many intervals a change may take to be seen: the lookback, and some for discovery, scrape and evaluation. */
const patienceIntervals = 15;

/** Asks until the answer is right or patience ends, and gives the last answer. */
export async function until<Answer>(
  { size }: Pick<Stage, 'size'>,
  ask: () => Promise<Answer>,
  isRight: (answer: Answer) => boolean,
): Promise<Answer> {
  const stepMs = size.intervalSeconds * 100;
  const deadline = performance.now() + patienceIntervals * Math.max(4, size.intervalSeconds) * 1000;
  for (;;) {
    const answer = await ask();
    if (isRight(answer) || performance.now() > deadline) return answer;
    await wait(stepMs);
  }
}

/** How the recorded sums compare with the clouds as they are. */
export interface Sums {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  readonly absent: readonly string[];
}

export async function recordedSums({ store, clouds }: Stage): Promise<Sums> {
  const found = await store.query('cloud:cloud_servers:sum');
  const told = new Map(found.map(({ labels, value }) => [labels['cloud'], value]));
  const names = (isSo: (value: number | undefined, servers: number) => boolean) =>
    clouds.list.filter(({ name, servers }) => isSo(told.get(name), servers)).map(({ name }) => name);
  return {
    right: names((value, servers) => value === servers),
    wrong: names((value, servers) => value !== undefined && value !== servers),
    absent: names((value) => value === undefined),
  };
}

/** Waits until every cloud has its recorded sum, or for as long as is reasonable. */
export async function untilWhole(stage: Stage): Promise<Sums> {
  return until(
    stage,
    () => recordedSums(stage),
    ({ right }) => right.length === stage.clouds.list.length,
  );
}

export async function cloudsOf(exporter: Part): Promise<string[]> {
  const groups = (await (await fetch(`${exporter.url}/sd/clouds`)).json()) as {
    labels: { instance: string };
  }[];
  return groups.map(({ labels }) => labels.instance);
}

interface Target {
  readonly labels: { readonly job: string; readonly instance: string };
  /** `unknown` until it was scraped. */
  readonly health: 'up' | 'down' | 'unknown';
}

/** The clouds that an agent scrapes, one entry for each target. */
export async function cloudsScrapedBy(agent: Part): Promise<string[]> {
  return (await targetsOf(agent)).map(({ labels }) => labels.instance);
}

/** Waits until the agents have scraped every cloud once. The store is not asked: it has enough to do with what is new. */
export async function untilScraped(size: Stage['size'], agents: readonly Part[]): Promise<void> {
  const countUp = async () =>
    (await Promise.all(agents.map(targetsOf))).flat().filter(({ health }) => health === 'up').length;
  await until({ size }, countUp, (scraped) => scraped === size.clouds);
}

async function targetsOf(agent: Part): Promise<Target[]> {
  const response = await fetch(`${agent.url}/api/v1/targets?state=active`);
  const { data } = (await response.json()) as { data: { activeTargets: Target[] } };
  return data.activeTargets.filter(({ labels }) => labels.job === cloudsJob);
}

/** The values of one label of the alerts of this name that are pending or firing. */
export async function alerted(stage: Stage, alert: string, label: string): Promise<string[]> {
  const response = await fetch(`${stage.rulesPart.url}/api/v1/alerts`);
  const { data } = (await response.json()) as {
    data: { alerts: { name: string; state: string; labels: Record<string, string> }[] };
  };
  const open = data.alerts.filter(
    ({ name, state }) => name === alert && (state === 'pending' || state === 'firing'),
  );
  return [...new Set(open.map(({ labels }) => labels[label] ?? ''))];
}

export const instancesOf = (found: readonly Found[]): string[] =>
  found.map(({ labels }) => labels['instance'] ?? '');

/** Whether what has nothing to do with it was scraped all the time. */
export function noneMissed(what: string, missed: readonly string[]): Verdict {
  return {
    title: `${what}: nothing else misses a scrape`,
    holds: missed.length === 0,
    numbers: missed.length === 0 ? 'none did' : `${missed.length} did, ${missed[0]} among them`,
    isTiming: true,
  };
}

export function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && new Set([...some, ...others]).size === some.length;
}

export function without(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}
