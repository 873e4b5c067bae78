import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatedCloud } from '../../src/simulator/api.ts';
import type { FaultRule } from '../../src/simulator/faults/faults.ts';
import type { createRandom } from '../../src/simulator/fleet/random.ts';
import { places } from '../faults/outcome.ts';
import { faultRows } from '../faults/table.ts';

type Random = ReturnType<typeof createRandom>;

export interface Weather {
  /** Faults come, of any kind, anywhere, for a while or for good. */
  change(): void;
  clear(): void;
  /** How often each kind of fault struck. */
  readonly strikes: ReadonlyMap<string, number>;
}

export function createWeather(cloud: SimulatedCloud, random: Random): Weather {
  const strikes = new Map<string, number>();
  let standing: { readonly kind: string; readonly rule: { readonly hits: number } }[] = [];
  const world = {
    origin: new URL(cloud.baseUrl).origin,
    stranger: 'http://127.0.0.1:9/',
    servers: () => cloud.fleet.servers.length,
    // A second of the table's time; the request_timeout of the soak is as much shorter.
    clock: { advance: async (ms: number) => delay(ms / 20) },
  };

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

  return {
    strikes,
    change() {
      const count = random.weighted([
        [0, 1],
        [1, 4],
        [2, 2],
      ]);
      for (let index = 0; index < count; index += 1) {
        const rule = chooseRule();
        if (rule) standing.push({ kind: rule.fault.kind, rule: cloud.faults.set(rule) });
      }
      if (random.chance(0.1)) cloud.revokeTokens();
    },
    clear() {
      cloud.faults.clear();
      for (const { kind, rule } of standing) strikes.set(kind, (strikes.get(kind) ?? 0) + rule.hits);
      standing = [];
    },
  };
}
