import { changeSince } from '../change.ts';
import { amongTop, gpuTypes, maxBy, recordedOfCloud, recordedOfZone, select, sumBy } from '../selectors.ts';

const daySeconds = 86_400;
const paceDays = 30;
const quarterDays = 90;

/** A recorded sum, by which labels it is looked at, and which part of it. */
export interface Growing {
  readonly recorded: string;
  readonly labels: readonly string[];
  readonly matchers: string;
}

export const growing = {
  servers: { recorded: 'cloud:cloud_servers:sum', labels: ['cloud'], matchers: recordedOfCloud },
  vcpus: { recorded: 'cloud:cloud_servers_vcpus:sum', labels: ['cloud'], matchers: recordedOfCloud },
  zoneVcpus: ofZone('cloud_servers_vcpus'),
  zoneMemory: ofZone('cloud_servers_memory_bytes'),
  projectVcpus: ofProject('cloud_servers_vcpus'),
  projectMemory: ofProject('cloud_servers_memory_bytes'),
  gpus: {
    recorded: 'cloud_model:cloud_servers_devices:sum',
    labels: ['cloud', 'model'],
    matchers: `${recordedOfCloud}, ${gpuTypes}`,
  },
} satisfies Record<string, Growing>;

function ofZone(metric: string): Growing {
  return {
    recorded: `cloud_zone:${metric}:sum`,
    labels: ['cloud', 'region', 'zone'],
    matchers: recordedOfZone,
  };
}

function ofProject(metric: string): Growing {
  return {
    recorded: `cloud_project:${metric}:sum`,
    labels: ['cloud', 'project_domain', 'project'],
    matchers: recordedOfCloud,
  };
}

/** What it is now and was, and what follows if it goes on as in the last 30 days. */
export function growthOf({ recorded, labels, matchers }: Growing) {
  const now = sumBy(labels, select(recorded, matchers));
  const since = (before: string) => sumBy(labels, changeSince(before, recorded, matchers));
  const pace = since(`${paceDays}d`);
  const fastest = (expr: string) => amongTop(`(${expr})`, `((${pace}) or 0 * ${now})`);
  return {
    now: fastest(now),
    '7d': fastest(since('7d')),
    '30d': fastest(pace),
    '90d': fastest(since('90d')),
    quarter: fastest(`clamp_min(${now} + ${quarterDays / paceDays} * ${pace}, 0)`),
    doubles: fastest(`${paceDays * daySeconds} * ${now} / (${pace} > 0)`),
    overTime: now,
  };
}

/** When the room that is left is used up at the pace of the last 30 days; nothing where hosts are not told. */
export function fullIn({ recorded, labels, matchers }: Growing, resource: 'vcpus' | 'memory'): string {
  const left = maxBy(labels, select('cloud_zone:room_left:sum', recordedOfZone, `resource="${resource}"`));
  const pace = sumBy(labels, changeSince(`${paceDays}d`, recorded, matchers));
  return `${paceDays * daySeconds} * ${left} / (${pace} > 0)`;
}
