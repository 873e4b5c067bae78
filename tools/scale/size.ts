import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

export const sceneNames = ['exporter-dies', 'half-hangs', 'agent-dies', 'more-shards'] as const;
export type SceneName = (typeof sceneNames)[number];

export interface Size {
  readonly clouds: number;
  /** Of each cloud. */
  readonly servers: number;
  readonly shards: number;
  readonly agents: number;
  readonly intervalSeconds: number;
  /** Scrapes of each cloud over which the cost is measured. */
  readonly rounds: number;
  /** Whether the programs in Go save memory at the cost of CPU. */
  readonly lean: boolean;
  /** What is broken once the cost is measured, in this order. */
  readonly scenes: readonly SceneName[];
  /** Whether, instead of all that, a day of one cloud is put into the store and weighed. */
  readonly day: boolean;
  /** Settings of every cloud beside its address and account. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Ten clouds of 100,000, whose servers are told in detail once an hour. */
const million = { clouds: 10, servers: 100_000, shards: 2, settings: { details_max_age: '1h' } };

/** What a core can do within an interval, with the simulated platform and all programs on the same machine. */
const serversPerCoreSecond = 1000;
const cloudsPerCoreSecond = 4;

export function sizeFrom(argv: readonly string[]): Size {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      clouds: { type: 'string', default: '1000' },
      servers: { type: 'string', default: '1000' },
      shards: { type: 'string', default: '3' },
      agents: { type: 'string', default: '2' },
      interval: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      'cost-only': { type: 'boolean', default: false },
      lean: { type: 'boolean', default: false },
      scene: { type: 'string', multiple: true },
      day: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
    },
  });
  const asked = {
    clouds: Number(values.clouds),
    servers: Number(values.servers),
    shards: Number(values.shards),
    settings: {},
  };
  const { clouds, servers, shards, settings } = values.million ? million : asked;
  const cores = cpus().length;
  const needed = Math.max((clouds * servers) / serversPerCoreSecond, clouds / cloudsPerCoreSecond) / cores;
  const numbers = {
    clouds,
    servers,
    shards,
    agents: Number(values.agents),
    intervalSeconds: Number(values.interval ?? Math.max(5, Math.ceil(needed))),
    rounds: Number(values.rounds),
  };
  for (const [name, number] of Object.entries(numbers))
    if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name}: must be a whole number`);
  const scenes = values['cost-only'] ? [] : (values.scene ?? sceneNames).map(sceneNamed);
  return { ...numbers, lean: values.lean, scenes, day: values.day, settings };
}

function sceneNamed(name: string): SceneName {
  const known = sceneNames.find((one) => one === name);
  if (known === undefined) throw new Error(`--scene=${name}: must be one of ${sceneNames.join(', ')}`);
  return known;
}
