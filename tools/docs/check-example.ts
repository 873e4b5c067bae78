import { check } from '../../src/check/check.ts';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { silentLog } from '../../test/support/silent-log.ts';

/** One place, one status and one size, so that the report depends on what is exported and on nothing else. */
const steady = {
  hypervisor: 'kvm',
  status: 'running',
  project: systemProject.name,
  project_domain: systemProject.domain.name,
  backup_host_status: '',
  vcpu_count: 2,
  vmem_size: 4096,
  disk: 40_960,
  disk_count: 1,
  is_gpu: false,
  isolated_devices: [],
  expired_at: null,
  pending_deleted: false,
};

const started = Date.parse('2026-11-15T08:00:00Z');

/** The report of `check` on a cloud whose password soon expires, held still but for the time of its one list. */
export async function checkExample(): Promise<string> {
  let now = started;
  const clock = { ...systemClock, now: () => now, monotonic: () => now };
  const fleet = createFleet({ servers: 0, now: clock.now });
  const tenant_id = fleet.projects.find(
    ({ name, domain }) => name === systemProject.name && domain.id === systemProject.domain.id,
  )!.id;
  const like = fleet.hosts.find(
    ({ host_type, status }) => host_type === 'hypervisor' && status === 'running',
  )!;
  const hosts = Array.from({ length: 13 }, (_, index) =>
    fleet.addHost({ zone: 'zone-a', name: `kvm-${index}` }, like.id),
  );
  const owner = { tenant_id, domain_id: systemProject.domain.id };
  for (const [index, { id }] of fleet.create(260, { ...steady, ...owner }).entries())
    fleet.moveServer(id, hosts[index % hosts.length]!.id);
  const cloud = await startSimulatedCloud({
    fleet,
    now: clock.now,
    passwordExpiresAt: Date.parse('2026-11-20T12:00:00Z'),
  });
  cloud.hooks.beforePage = () => void (now += 43);
  const environment = {
    OS_AUTH_URL: cloud.authUrl,
    OS_USER_ID: exporterAccount.id,
    OS_PASSWORD: exporterAccount.password,
    OS_PROJECT_NAME: systemProject.name,
    OS_PROJECT_DOMAIN_NAME: systemProject.domain.name,
    CLOUD_NAME: 'prod',
  };
  const written: string[] = [];
  try {
    await check({
      loadConfig: () => loadConfig({ environment }),
      version: '',
      asJson: false,
      clock,
      log: silentLog,
      write: (text) => void written.push(text),
      progress: { isWatched: false, write: () => undefined },
    });
  } finally {
    await cloud.close();
  }
  const report = written.join('').replaceAll(`http://127.0.0.1:${cloud.port}`, 'https://cloud.example.com');
  return `\`\`\`text\n${abridged(report)}\`\`\``;
}

/** Of the families, the first ones: the reference has all. */
function abridged(report: string): string {
  const families = /^( +\d+ {2}cloud_.*\n)+/m;
  return report.replace(families, (lines) => `${lines.split('\n').slice(0, 4).join('\n')}\n          …\n`);
}
