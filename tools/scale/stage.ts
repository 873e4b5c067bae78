import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../test/support/loopback.ts';
import { settingsFor } from '../../test/support/settings.ts';
import type { Clouds } from './clouds.ts';
import { goEnvironment } from './memory.ts';
import { untilScraped } from './observation.ts';
import { readEnvironment, startPart, type Part } from './part.ts';
import { agentConfig, writeRules } from './recipe.ts';
import type { Size } from './size.ts';
import { openStore, type Store } from './store.ts';

/** Everything of docs/scale.md on one machine. */
export interface Stage {
  readonly size: Size;
  readonly clouds: Clouds;
  readonly store: Store;
  /** By their ordinal and number; what has died is replaced by whatever is started in its place. */
  readonly exporters: Part[];
  readonly agents: Part[];
  readonly storePart: Part;
  readonly rulesPart: Part;
  /** Whether this vmalert knows `keep_firing_for`; the rules were loaded without it if not. */
  readonly heldAlerts: boolean;
  startExporter(ordinal: number, total: number): Promise<void>;
  startAgent(number: number): Promise<void>;
  /** Tells the agents of so many exporters; those that run read it anew. */
  tellAgents(exporters: number): void;
  stop(): Promise<void>;
}

/** A sample counts for so many intervals, as five minutes are by default at one minute. */
const lookbackIntervals = 5;

interface StageInput {
  readonly size: Size;
  readonly clouds: Clouds;
  /** The compiled program. */
  readonly main: string;
  readonly folder: string;
  /** Where vmalert sends alerts. */
  readonly notifier: string;
}

export async function setStage(input: StageInput): Promise<Stage> {
  const started: Part[] = [];
  try {
    return await startAll(input, async (plan) => {
      const part = await startPart(plan);
      started.push(part);
      return part;
    });
  } catch (error) {
    for (const part of started) await part.end('SIGKILL');
    throw error;
  }
}

async function startAll(input: StageInput, start: typeof startPart): Promise<Stage> {
  const { size, clouds, main, folder } = input;
  const { intervalSeconds } = size;
  const ports = await freePorts(size.shards + 1 + size.agents + 2);
  const exporterPorts = ports.slice(0, size.shards + 1);
  const agentPorts = ports.slice(size.shards + 1, -2);
  const [storePort, rulesPort] = ports.slice(-2) as [number, number];
  const addressOf = (port: number) => `127.0.0.1:${port}`;
  const exporters: Part[] = [];
  const agents: Part[] = [];
  writeClouds(join(folder, 'clouds'), size, clouds);

  function writeAgents(count: number): void {
    const addresses = {
      exporters: exporterPorts.slice(0, count).map(addressOf),
      agents: agentPorts.map(addressOf),
      store: addressOf(storePort),
    };
    for (const number of agentPorts.keys())
      writeFileSync(join(folder, `agent-${number}.yml`), agentConfig(number, addresses, intervalSeconds));
  }

  async function startExporter(ordinal: number, total: number): Promise<void> {
    const port = exporterPorts[ordinal]!;
    const own = ['config.file', 'total-shards'];
    const flags = readFileSync('deploy/scale/exporter.flags', 'utf8').split('\n').filter(Boolean);
    exporters[ordinal] = await start({
      name: `exporter ${ordinal}`,
      command: process.execPath,
      arguments: [
        main,
        ...flags.filter((flag) => !own.some((name) => flag.startsWith(`--${name}=`))),
        `--config.file=${join(folder, 'clouds')}`,
        `--shard=${ordinal}`,
        `--total-shards=${total}`,
        `--web.listen-address=${addressOf(port)}`,
        '--log.level=error',
      ],
      port,
      readyPath: '/-/ready',
    });
  }

  async function startAgent(number: number): Promise<void> {
    const port = agentPorts[number]!;
    agents[number] = await start({
      name: `agent ${number}`,
      command: 'prometheus',
      arguments: [
        '--enable-feature=agent',
        `--config.file=${join(folder, `agent-${number}.yml`)}`,
        `--storage.agent.path=${join(folder, `agent-${number}`)}`,
        `--web.listen-address=${addressOf(port)}`,
        '--log.level=warn',
      ],
      environment: goEnvironment(size, 'agent'),
      port,
      readyPath: '/-/ready',
    });
  }

  const storePart = await start({
    name: 'VictoriaMetrics',
    command: 'victoria-metrics',
    arguments: ['-envflag.enable'],
    environment: {
      ...readEnvironment('deploy/scale/victoria-metrics.env'),
      ...goEnvironment(size, 'store'),
      httpListenAddr: addressOf(storePort),
      storageDataPath: join(folder, 'store'),
      search_latencyOffset: `${Math.min(30, Math.ceil(intervalSeconds / 2))}s`,
    },
    port: storePort,
    readyPath: '/health',
  });
  for (let ordinal = 0; ordinal < size.shards; ordinal += 1) await startExporter(ordinal, size.shards);
  writeAgents(size.shards);
  for (const number of agentPorts.keys()) await startAgent(number);
  const { pattern, heldAlerts } = writeRules(join(folder, 'rules'));
  const lookbackSeconds = lookbackIntervals * intervalSeconds;
  const store = openStore(storePart.url, lookbackSeconds);
  // While the store hears of all series for the first time, rules over all of them take minutes, and hold it up.
  await untilScraped(size, agents);
  const rulesPart = await start({
    name: 'vmalert',
    command: 'vmalert',
    arguments: ['-envflag.enable', '-remoteWrite.flushInterval=1s'],
    environment: {
      ...readEnvironment('deploy/scale/vmalert.env'),
      ...goEnvironment(size, 'rules'),
      httpListenAddr: addressOf(rulesPort),
      rule: pattern,
      evaluationInterval: `${intervalSeconds}s`,
      datasource_queryStep: `${lookbackSeconds}s`,
      datasource_url: storePart.url,
      remoteWrite_url: storePart.url,
      remoteRead_url: storePart.url,
      notifier_url: input.notifier,
    },
    port: rulesPort,
    readyPath: '/health',
  });

  return {
    size,
    clouds,
    store,
    exporters,
    agents,
    storePart,
    rulesPart,
    heldAlerts,
    startExporter,
    startAgent,
    tellAgents(count) {
      writeAgents(count);
      for (const agent of agents) agent.signal('SIGHUP');
    },
    async stop() {
      // The readers first, so that none complains about what is gone.
      for (const part of [rulesPart, ...agents, ...exporters, storePart]) await part.end('SIGKILL');
    },
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort('127.0.0.1'));
  return [...ports];
}

/** A file for each cloud, as a pipeline would write them. */
function writeClouds(folder: string, { intervalSeconds, settings }: Size, clouds: Clouds): void {
  mkdirSync(folder, { recursive: true });
  const times = {
    request_timeout: `${Math.max(2, Math.min(30, intervalSeconds))}s`,
    max_stale: `${Math.max(300, lookbackIntervals * intervalSeconds)}s`,
  };
  for (const { name, authUrl } of clouds.list) {
    const cloud = settingsFor({ authUrl }, { ...times, ...settings });
    writeFileSync(join(folder, `${name}.yml`), stringify({ clouds: { [name]: cloud } }));
  }
}
