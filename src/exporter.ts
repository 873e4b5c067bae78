import type { Clock } from './clock.ts';
import { createCloud, type Cloud } from './cloud.ts';
import { ConfigError, type CloudConfig, type Config } from './config/load.ts';
import { createApp } from './http/app.ts';
import { listen, type ListenAddress } from './http/listen.ts';
import { loginTriggers } from './identity/token.ts';
import type { Log } from './log.ts';
import { createMetricsPage } from './metrics/page.ts';
import { createSelfMetrics, type Build } from './metrics/self.ts';
import { failureReasons } from './transport/failure.ts';
import { createTurnstile } from './transport/turnstile.ts';

export interface ExporterInput {
  readonly config: Config;
  /** Reads the configuration again; throws a ConfigError when it is bad. */
  readonly loadConfig: () => Promise<Config>;
  readonly listenAddresses: readonly ListenAddress[];
  readonly telemetryPath: string;
  readonly enableLifecycle: boolean;
  readonly build: Build;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Exporter {
  readonly urls: readonly string[];
  /** All or nothing: a bad configuration changes nothing. Returns what is wrong with it. */
  reload(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Less than the ten seconds after which an orchestrator kills. */
const graceMs = 8000;

export async function startExporter(input: ExporterInput): Promise<Exporter> {
  const { clock, log, build } = input;
  const self = createSelfMetrics(build, { reasons: failureReasons, triggers: loginTriggers });
  const takeTurn = createTurnstile();
  let isReady = true;
  let clouds: readonly Cloud[] = input.config.clouds.map(create);
  self.reloaded(true, clock.now());

  function create(config: CloudConfig): Cloud {
    const observer = self.observe(config.name);
    return createCloud(config, { clock, log, takeTurn, version: build.version, observer });
  }

  const app = createApp({
    version: build.version,
    telemetryPath: input.telemetryPath,
    collectors: () => clouds.map(({ collector }) => collector),
    isReady: () => isReady,
    page: createMetricsPage(),
    self,
    log,
    ...(input.enableLifecycle && { reload }),
  });
  const listeners = await Promise.all(input.listenAddresses.map((address) => listen(app, address)));

  async function reload(): Promise<readonly string[]> {
    try {
      swap((await input.loadConfig()).clouds);
      self.reloaded(true, clock.now());
      log.info({ clouds: clouds.length }, 'configuration reloaded');
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      self.reloaded(false, clock.now());
      log.error({ problems: error.problems }, 'configuration not reloaded, the old one stays');
      return error.problems;
    }
  }

  /** An unchanged cloud keeps its token and snapshot, but is forgiven earlier refusals. */
  function swap(configs: readonly CloudConfig[]): void {
    const before = clouds;
    clouds = configs.map((config) => {
      const same = before.find(
        (cloud) => cloud.config.name === config.name && cloud.config.fingerprint === config.fingerprint,
      );
      same?.tokens.forgive();
      return same ?? create(config);
    });
    for (const cloud of before) {
      if (!clouds.includes(cloud)) cloud.collector.stop();
      if (!configs.some(({ name }) => name === cloud.config.name)) self.forget(cloud.config.name);
    }
  }

  return {
    urls: listeners.map(({ url }) => url),
    reload,
    async stop() {
      isReady = false;
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      for (const { collector } of clouds) collector.stop();
    },
  };
}
