import type { Fault, Missing } from '../simulator/faults.ts';
import { parseExposition } from '../support/exposition.ts';
import { createKnowable } from './knowable.ts';
import { createEvents, openWorld, type WorldPlan } from './world.ts';

const minutes = 60_000;
const inDetail = (parameters: URLSearchParams) => parameters.get('details') !== 'false';

/** Platforms and settings that a history may be of. */
export const stages: readonly (WorldPlan & { readonly details_max_age: string })[] = [
  { details_max_age: '30m' },
  { details_max_age: '30m', settings: { list_hosts: false, fields: 'all' } },
  { details_max_age: '0s' },
  { details_max_age: '0s', settings: { list_hosts: false } },
  { details_max_age: '10m', maximumPageSize: 9, settings: { page_size: 7 } },
  { details_max_age: '30m', settings: { page_size: 12, fields: 'all', concurrency: 2 } },
  { details_max_age: '30m', dialect: 'document', settings: { query: {} } },
];

/**
 * A history from a seed: scrapes in which servers come, go and change between any two requests, while the platform tells
 * only a part, or what was, or nothing. Returns what was told and could be known to be wrong.
 */
export async function liveThrough(seed: number, scrapes = 30): Promise<string[]> {
  const { details_max_age, settings, ...plan } = stages[seed % stages.length]!;
  const world = await openWorld({ ...plan, seed, settings: { ...settings, details_max_age } });
  const { cloud, random } = world;
  const isByOffset = plan.dialect === 'document';
  const knowable = createKnowable(world, { '30m': 30, '10m': 10, '0s': 0 }[details_max_age]! * minutes);
  const events = Object.entries(createEvents(world));
  let happened: string[] = [];
  const wrong: string[] = [];
  const trace: string[] = [];
  let replicas = [cloud.replicate()];
  let [left, words] = [0, ''];

  function happen(): void {
    const [name, event] = random.pick(events);
    event();
    knowable.note();
    happened.push(name);
  }

  function setFault(): void {
    const kind = random.pick(['half', 'half', 'half', 'part', 'older', 'cached', 'broken'] as const);
    left = random.chance(0.5) ? 1 : 1 + random.below(10);
    const few = random.chance(0.4) ? { times: 1 + random.below(3) } : {};
    const missing = distinct(() =>
      random.pick<Missing>(['disks', 'disks', 'devices', 'laterDisks', 'project', 'domain', 'place']),
    );
    const salt = random.below(1000);
    const [step, from] = [2 + random.below(3), random.below(6)];
    const some = random.pick<NonNullable<Extract<Fault, { kind: 'halfTold' }>['which']>>([
      (position) => position >= from,
      (position) => position % step === 0,
      (_position, id) => (Number.parseInt(id.slice(-4), 16) + salt) % step === 0,
    ]);
    const faults: Readonly<Record<typeof kind, () => Fault>> = {
      half: () => ({ kind: 'halfTold', missing }),
      part: () => ({ kind: 'halfTold', missing, which: some }),
      older: () => ({ kind: 'older', from: () => replicas[0]! }),
      cached: () => ({
        kind: 'older',
        from: ({ parameters }) => replicas[parameters.toString().length % replicas.length]!,
      }),
      broken: () =>
        random.pick<Fault>([
          { kind: 'status', code: 503 },
          { kind: 'reset' },
          { kind: 'truncated', keepBytes: 400 },
          { kind: 'text', text: '<html>' },
          ...(isByOffset ? [] : [{ kind: 'short', rows: random.below(4) } as const]),
          ...(isByOffset ? [] : [{ kind: 'json', json: { servers: [] } } as const]),
        ]),
    };
    const fault = faults[kind]();
    const isOnce = fault.kind === 'json' || fault.kind === 'short';
    if (isOnce) left = 1;
    const where = kind === 'half' || kind === 'part' || random.chance(0.3) ? { where: inDetail } : {};
    cloud.faults.set({ operation: 'list', ...where, ...few, ...(isOnce && { times: 1 }), fault });
    if (random.chance(0.2)) cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 503 } });
    words = `${kind} ${fault.kind} ${kind === 'half' || kind === 'part' ? missing.join() : ''} ${JSON.stringify(few)}`;
  }

  function distinct(of: () => Missing): Missing[] {
    return [...new Set(Array.from({ length: 1 + random.below(2) }, of))];
  }

  async function scrape(seconds: number, isMoving: boolean): Promise<void> {
    const before = left > 0 ? words : 'well';
    const isHalf = /^(half|part|older|cached)/.test(before);
    knowable.begin();
    const move = () => {
      if (isMoving && random.chance(0.15)) happen();
    };
    cloud.hooks.beforePage = cloud.hooks.afterCount = isByOffset ? undefined : move;
    const { text, isUp } = await world.scrape(seconds);
    cloud.hooks.beforePage = cloud.hooks.afterCount = undefined;
    if (isUp) knowable.learn(!isHalf);
    const found = isUp ? knowable.untruths(parseExposition(text)) : [];
    if (isUp && !knowable.hasAnswers()) found.push('up, and no list was answered');
    if (!isUp && before === 'well') found.push('down, and the platform is well');
    trace.push(`${trace.length} ${before} (${happened.join(' ')})`);
    happened = [];
    if (found.length > 0) wrong.push(`${trace.slice(-3).join(' | ')}: ${found.slice(0, 3).join('; ')}`);
  }

  // Every kind of trouble may be there while the first list is read.
  if (random.chance(0.5)) setFault();
  for (let count = 0; count < scrapes && wrong.length < 3; count += 1) {
    for (let moves = random.below(4); moves > 0; moves -= 1) happen();
    await scrape(left > 0 ? 60 : random.pick([1, 15, 60, 60, 60, 60, 300, 3600]), random.chance(0.3));
    if (random.chance(0.03)) await world.reload();
    if (random.chance(0.03)) await world.discover();
    if (random.chance(0.2)) replicas = [...replicas.slice(-2), cloud.replicate()];
    if (left > 0 && (left -= 1) === 0) cloud.faults.clear();
    else if (left === 0 && random.chance(0.3)) setFault();
  }
  cloud.faults.clear();
  left = 0;
  for (const seconds of [60, 60, 1, 60 * 31, 60]) await scrape(seconds, false);
  await world.close();
  return wrong.map((one) => `seed ${seed}, scrape ${one}`);
}
