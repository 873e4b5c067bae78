import { isEmpty } from '../empties.ts';
import type { HostRecord } from '../fleet/host-record.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { View } from '../lists/view.ts';

/** What only details bring, beside the sums over the host's servers. */
const lookedUp = new Set('brand cloudregion cloudregion_id provider region region_id zone'.split(' '));

export function createHostText({ details, fields }: View, servers: readonly ServerRecord[]) {
  const commits = details ? countCommits(servers) : new Map<string, Commit>();

  return (host: HostRecord): string => {
    const whole: Record<string, unknown> = { ...host, ...(details && describe(host, commits.get(host.id))) };
    const sent = Object.keys(whole)
      .filter((field) => (details || !lookedUp.has(field)) && (fields === undefined || fields.has(field)))
      .filter((field) => !isEmpty(whole[field]))
      .toSorted();
    return `{${sent.map((field) => `"${field}":${JSON.stringify(whole[field])}`).join(',')}}`;
  };
}

export function isHostColumn(field: string, host: HostRecord): boolean {
  return field in host && !lookedUp.has(field);
}

interface Commit {
  guests: number;
  running: number;
  vcpus: number;
  memory: number;
}

const nothing: Commit = { guests: 0, running: 0, vcpus: 0, memory: 0 };

/** The platform's own sums count running servers only. */
function countCommits(servers: readonly ServerRecord[]): Map<string, Commit> {
  const commits = new Map<string, Commit>();
  for (const { host_id, status, vcpu_count, vmem_size } of servers) {
    const commit = commits.get(host_id) ?? { ...nothing };
    commit.guests += 1;
    if (status === 'running') {
      commit.running += 1;
      commit.vcpus += vcpu_count;
      commit.memory += vmem_size;
    }
    commits.set(host_id, commit);
  }
  return commits;
}

function describe(host: HostRecord, { guests, running, vcpus, memory }: Commit = nothing): object {
  const cpus = host.cpu_count - host.cpu_reserved;
  const size = host.mem_size - host.mem_reserved;
  return {
    cpu_commit: vcpus,
    cpu_commit_rate: cpus === 0 ? 0 : vcpus / cpus,
    guests,
    mem_commit: memory,
    mem_commit_rate: size === 0 ? 0 : memory / size,
    running_guests: running,
  };
}
