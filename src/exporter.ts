import { createCloud, type Cloud } from './cloud.ts';
import { ConfigError, type CloudConfig, type Config } from './config/load.ts';
import type { Shard } from './shard.ts';
import type { WebSource } from './web-source.ts';
import { createApp, type AppInput } from './http/app.ts';
import { listenOnAll } from './http/listen.ts';
import type { ListenAddress } from './listen-address.ts';
import { createMetricsPage } from './metrics/page.ts';
import { createSelfMetrics, type Build } from './metrics/self.ts';
import { createBodyMemory } from './transport/body.ts';
import { createLookup } from './transport/names.ts';
import { createYieldToEventLoop } from './yield-to-event-loop.ts';

export interface ExporterInput extends Pick<
  AppInput,
  'telemetryPath' | 'enableDiscovery' | 'maxRequests' | 'runbook' | 'clock' | 'log'
> {
  readonly config: Config;
  /** Reads the configuration again; throws a ConfigError when it is bad. */
  readonly loadConfig: () => Promise<Config>;
  readonly listenAddresses: readonly ListenAddress[];
  /** The part of the clouds that this exporter has; nothing if it has all. */
  readonly shard?: Shard | undefined;
  /** What Prometheus and people reach it under, where that is told. */
  readonly externalUrl?: string | undefined;
  readonly enableLifecycle: boolean;
  /** TLS, passwords and headers; without it, everybody is let in over plain HTTP. */
  readonly web?: WebSource | undefined;
  /** Leaves out `process_*` and `nodejs_*`. */
  readonly disableExporterMetrics?: boolean;
  readonly lostLines?: () => number;
  readonly build: Build;
}

export type Exporter = Awaited<ReturnType<typeof startExporter>>;

/** Less than the ten seconds after which an orchestrator kills. */
const graceMs = 8000;

export async function startExporter(input: ExporterInput) {
  const { clock, log, build, web, shard, externalUrl, lostLines = () => 0 } = input;
  const isBare = input.disableExporterMetrics ?? false;
  const self = createSelfMetrics(build, { shard, externalUrl, isBare, lostLines });
  const yieldToEventLoop = createYieldToEventLoop();
  const bodies = createBodyMemory();
  const page = createMetricsPage({
    yieldToEventLoop,
    onBug: (cloud, error) =>
      log.error(
        { cloud, err: error instanceof Error ? error.stack : String(error) },
        'a bug hides this cloud',
      ),
  });
  const lookup = createLookup({ clock });
  let isReady = true;
  let lastReload: Promise<unknown> = Promise.resolve();
  let clouds: readonly Cloud[] = input.config.clouds.map(create);
  loaded(input.config);

  function loaded({ rejected }: Config): void {
    for (const { file, problems } of rejected)
      log.error({ file, problems }, 'a bad file of the configuration is left out');
    self.rejected(rejected.length);
    self.reloaded(true, clock.now());
  }

  function create(config: CloudConfig): Cloud {
    if (config.settings.insecure_skip_verify)
      log.warn(
        { cloud: config.name },
        'insecure_skip_verify: the certificate of the platform is not verified, so anybody on the way can read the password',
      );
    const shared = { clock, log, yieldToEventLoop, bodies, lookup, version: build.version };
    return createCloud(config, { ...shared, observer: self.observe(config.name) });
  }

  const app = createApp({
    ...input,
    version: build.version,
    clouds: () => clouds,
    isReady: () => isReady,
    page,
    self,
    yieldToEventLoop,
    web: web?.current,
    ...(input.enableLifecycle && { reload }),
  });
  const tls = web?.current().tls && (() => web.current().tls!);
  const listeners = await listenOnAll(input.listenAddresses, { respond: app, log, tls });

  /** All or nothing, and one after the other: two at once could let the older file win. Returns what is wrong. */
  function reload(): Promise<readonly string[]> {
    const next = lastReload.then(reloadOnce);
    lastReload = next.catch(() => undefined);
    return next;
  }

  async function reloadOnce(): Promise<readonly string[]> {
    try {
      await web?.refresh();
      const config = await input.loadConfig();
      swap(config.clouds);
      loaded(config);
      log.info({ clouds: clouds.length }, 'configuration reloaded');
      return [];
    } catch (error) {
      self.reloaded(false, clock.now());
      const isMistake = error instanceof ConfigError;
      const problems = isMistake ? error.problems : ['internal error; see the log of the exporter'];
      const fields = isMistake ? { problems } : { err: error instanceof Error ? error.stack : String(error) };
      log.error(fields, 'configuration not reloaded, the old one stays');
      return problems;
    }
  }

  /** An unchanged cloud keeps its token and snapshot, and tries a login at once that was refused before. */
  function swap(configs: readonly CloudConfig[]): void {
    const before = clouds;
    try {
      clouds = configs.map(
        (config) => before.find((cloud) => isSame(cloud.config, config)) ?? create(config),
      );
    } finally {
      for (const cloud of before) if (!clouds.includes(cloud)) cloud.collector.drain();
      const names = new Set(clouds.map(({ config }) => config.name));
      for (const { name } of [...before.map(({ config }) => config), ...configs])
        if (!names.has(name)) self.forget(name);
    }
    for (const cloud of clouds) if (before.includes(cloud)) cloud.forget();
  }

  return {
    urls: listeners.map(({ url }) => url),
    reload,
    async stop(): Promise<void> {
      isReady = false;
      web?.close();
      for (const { collector } of clouds) collector.drain();
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      for (const { collector } of clouds) collector.stop();
    },
  };
}

function isSame(one: CloudConfig, other: CloudConfig): boolean {
  return one.name === other.name && one.fingerprint === other.fingerprint;
}
