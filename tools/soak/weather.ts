import { setTimeout as delay } from 'node:timers/promises';
import type { FaultRule } from '../../test/simulator/faults.ts';
import type { Random } from '../../src/simulator/fleet/random.ts';
import { places } from '../../test/faults/outcome.ts';
import { faultRows } from '../../test/faults/table.ts';
import type { Chronicle } from './chronicle.ts';
import type { Station } from './station.ts';

export interface Weather {
  /** Faults come, of any kind, anywhere, for a while or for good. */
  change(): void;
  clear(): void;
  /** The faults that stand, in words. */
  words(): string;
  /** Whether a page may come empty, with a gap that is told. */
  mayBeShort(): boolean;
  /** How often each kind of fault struck. */
  readonly strikes: ReadonlyMap<string, number>;
}

export function createWeather(
  { cloud, clock, mount }: Station,
  random: Random,
  chronicle: Chronicle,
): Weather {
  const { fleet, hooks } = cloud;
  const strikes = new Map<string, number>();
  let standing: { readonly kind: string; readonly rule: { readonly hits: number } }[] = [];
  const world = {
    origin: new URL(cloud.baseUrl).origin,
    stranger: 'http://127.0.0.1:9/',
    servers: () => fleet.servers.length,
    // A second of the table's time; the request_timeout of the soak is as much shorter.
    clock: { advance: async (ms: number) => delay(ms / 20) },
  };

  function strike(kind: string, times = 1): void {
    strikes.set(kind, (strikes.get(kind) ?? 0) + times);
  }

  function stand(rule: FaultRule): void {
    standing.push({ kind: rule.fault.kind, rule: cloud.faults.set(rule) });
  }

  function chooseRule(): FaultRule | undefined {
    const place = random.pick(places);
    const row = random.pick(faultRows);
    if (row[place] === undefined) return undefined;
    const fault = row.fault(place, world);
    const where =
      place === 'login'
        ? ({ operation: 'login' } as const)
        : ({ operation: 'list', page: place === 'first' ? 0 : 1 + random.below(3) } as const);
    const times = random.chance(0.6) ? { times: 1 + random.below(4) } : {};
    return { ...where, ...times, fault: fault.kind === 'garbage' ? { ...fault, megabytes: 2 } : fault };
  }

  /** Once, since what a record lacks twice is the platform's truth. A list without details looks nothing up. */
  function tellByHalf(): void {
    const missing = random.pick(['host', 'place', 'project', 'domain', 'disks'] as const);
    // Some servers without disks are nothing odd; a whole page of them is.
    const last = missing !== 'disks' && random.chance(0.3) ? random.below(15) : Infinity;
    stand({
      operation: 'list',
      times: 1,
      where: (parameters) => parameters.get('details') !== 'false',
      fault: { kind: 'halfTold', missing, which: (position) => position <= last },
    });
  }

  /** Servers come, go and change while the list is read. */
  function move(): void {
    const [kind] = random.pick([['create'], ['remove'], ['status'], ['rest'], ['rest']] as const);
    if (kind === 'rest') return;
    if (kind === 'create' && fleet.servers.length < 90) fleet.create(1 + random.below(2));
    if (kind === 'remove' && fleet.servers.length > 45)
      fleet.remove([random.pick(fleet.servers).id, random.pick(fleet.servers).id]);
    if (kind === 'status')
      fleet.setStatus(random.pick(fleet.servers).id, random.pick(['running', 'ready', 'start_fail']));
    chronicle.note();
    strike('moved while listed');
  }

  function stepClock(): void {
    clock.step();
    strike('clock step');
  }

  return {
    strikes,
    words: () => standing.map(({ kind, rule }) => `${kind} ${rule.hits}`).join(', ') || 'no fault',
    mayBeShort: () => standing.some(({ kind }) => kind === 'json'),
    change() {
      const count = random.weighted([
        [0, 1],
        [1, 4],
        [2, 2],
      ]);
      for (let index = 0; index < count; index += 1) {
        const rule = chooseRule();
        if (rule) stand(rule);
      }
      if (random.chance(0.1)) cloud.revokeTokens();
      // The document has no ids beside the names, so that nobody could tell.
      if (random.chance(0.3)) tellByHalf();
      if (random.chance(0.3)) {
        hooks.beforePage = move;
        hooks.afterCount = move;
      }
      if (random.chance(0.15)) stepClock();
      if (random.chance(0.1)) hooks.beforeLogin = stepClock;
      if (random.chance(0.04)) {
        mount.die();
        cloud.revokeTokens();
        strike('dead mount');
      }
    },
    clear() {
      mount.revive();
      cloud.faults.clear();
      hooks.beforePage = undefined;
      hooks.afterCount = undefined;
      hooks.beforeLogin = undefined;
      for (const { kind, rule } of standing) strike(kind, rule.hits);
      standing = [];
    },
  };
}
