import { environments, teams } from './catalogue.ts';
import type { Random } from './random.ts';

interface Subject {
  readonly project: string;
  readonly system: { readonly name: string; readonly version: string };
  readonly random: Random;
}

/** `login_key` is there because the real platform sends it: whoever prints metadata wholesale prints passwords. */
export function createMetadata({ project, system, random }: Subject): Record<string, string> {
  const environment = random.weighted(environments);
  const team = random.pick(teams);
  return {
    cost_center: `CC-${random.hex(6).toUpperCase()}`,
    login_account: system.name.startsWith('Windows') ? 'Administrator' : 'root',
    login_key: `secret-${random.hex(40)}`,
    login_key_timestamp: '2026-01-12T08:30:00.000000Z',
    os_arch: 'x86_64',
    os_distribution: system.name,
    os_name: system.name,
    os_version: system.version,
    sync_ips: 'done',
    'sys:internal': '1',
    'user:application': `${project}-${environment}`,
    'user:env': environment,
    'user:owner': `${project}-owners@example.test`,
    'user:team': team,
  };
}
