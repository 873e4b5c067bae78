/** A host as `cloud_host_up` names it, and what is in its servers' vCPUs and memory. */
const hostLine = /^cloud_host_up\{(.*)\} [01]$/;
const gibibyte = 2 ** 30;

/** Lines of what hosts have, as a token that may read hosts is told it; none for clouds whose token may not. */
export function capacityOf(text: string, mayRead: (labels: string) => boolean): string {
  if (text.includes('\ncloud_host_cpus{')) return '';
  const hosts = text.split('\n').flatMap((line) => hostLine.exec(line)?.[1] ?? []);
  return hosts
    .filter(mayRead)
    .map((labels, index) => {
      const cpus = 16 + (index % 3) * 8;
      return [
        `cloud_host_enabled{${labels}} ${index === 1 ? 0 : 1}`,
        `cloud_host_cpus{${labels}} ${cpus}`,
        `cloud_host_cpu_overcommit{${labels}} 4`,
        `cloud_host_memory_capacity_bytes{${labels}} ${cpus * 4 * gibibyte}`,
        `cloud_host_memory_overcommit{${labels}} 1`,
      ].join('\n');
    })
    .join('\n');
}
