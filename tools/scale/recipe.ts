import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { RuleFile } from '../../test/dashboards/catalogue.ts';

/** The files of deploy/scale as they are handed to users, with addresses and times of this machine. */

export interface Addresses {
  readonly exporters: readonly string[];
  readonly agents: readonly string[];
  readonly store: string;
}

type Relabelling = { readonly action: string } & Readonly<Record<string, unknown>>;
interface Job {
  readonly job_name: string;
  readonly http_sd_configs?: readonly object[];
  readonly static_configs?: readonly object[];
  readonly relabel_configs?: readonly Relabelling[];
}

interface AgentFile {
  readonly scrape_configs: readonly Job[];
  readonly remote_write: readonly { readonly queue_config: object }[];
}

/** The configuration of one agent. */
export function agentConfig(
  number: number,
  { exporters, agents, store }: Addresses,
  intervalSeconds: number,
): string {
  const recipe = parse(readFileSync('deploy/scale/agent.yml', 'utf8')) as AgentFile;
  const interval = `${intervalSeconds}s`;
  const timeout = `${Math.max(1, Math.floor((intervalSeconds * 5) / 6))}s`;
  const jobs = recipe.scrape_configs.map((job) => ({
    ...job,
    scrape_timeout: timeout,
    ...(job.http_sd_configs && {
      http_sd_configs: exporters.map((address) => ({
        url: `http://${address}/sd/clouds`,
        refresh_interval: interval,
      })),
    }),
    ...(job.static_configs && {
      static_configs: [{ targets: job.job_name === 'prometheus-agent' ? agents : exporters }],
    }),
    ...(job.relabel_configs && {
      relabel_configs: job.relabel_configs.map((step) => ownPart(step, number, agents.length)),
    }),
  }));
  return stringify({
    ...recipe,
    global: { scrape_interval: interval },
    scrape_configs: jobs,
    // Samples are sent after five seconds at the latest by default, which is many intervals here.
    remote_write: recipe.remote_write.map(({ queue_config: queue }) => ({
      url: `http://${store}/api/v1/write`,
      queue_config: {
        ...queue,
        max_shards: Math.max(1, Math.floor(cpus().length / agents.length)),
        batch_send_deadline: `${Math.min(5000, intervalSeconds * 250)}ms`,
      },
    })),
  });
}

function ownPart(step: Relabelling, number: number, agents: number): Relabelling {
  if (step.action === 'hashmod') return { ...step, modulus: agents };
  return step.action === 'keep' ? { ...step, regex: String(number) } : step;
}

const ruleFiles = [
  'dashboards/rules/thresholds.yml',
  'dashboards/rules/recording.yml',
  'dashboards/rules/alerts.yml',
  'deploy/scale/agents.rules.yml',
];

/** The rules for vmalert; `heldAlerts` says whether it knows `keep_firing_for`, which is left out where it does not. */
export function writeRules(folder: string): { readonly pattern: string; readonly heldAlerts: boolean } {
  mkdirSync(folder, { recursive: true });
  const heldAlerts = isAccepted(ruleFiles.map((file) => `-rule=${file}`));
  for (const [index, path] of ruleFiles.entries()) {
    const { groups } = parse(readFileSync(path, 'utf8')) as RuleFile;
    const known = groups.map(({ name, rules }) => ({
      name,
      rules: rules.map(({ keep_firing_for: held, ...rule }) => ({
        ...rule,
        ...(held !== undefined && heldAlerts && { keep_firing_for: held }),
      })),
    }));
    writeFileSync(join(folder, `${index}.yml`), stringify({ groups: known }));
  }
  return { pattern: join(folder, '*.yml'), heldAlerts };
}

function isAccepted(flags: readonly string[]): boolean {
  try {
    execFileSync('vmalert', ['-dryRun', ...flags], { stdio: 'pipe' });
    return true;
  } catch (error) {
    const words = String((error as { stderr?: Buffer }).stderr ?? error);
    if (words.includes('keep_firing_for')) return false;
    throw new Error(`vmalert refuses the rules: ${words}`, { cause: error });
  }
}
