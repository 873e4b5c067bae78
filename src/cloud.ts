import { yieldToEventLoop } from './yield-to-event-loop.ts';
import type { Clock } from './clock.ts';
import type { CloudConfig } from './config/load.ts';
import { createIssuer } from './identity/issue.ts';
import { createTokenSource, type TokenSource } from './identity/token.ts';
import { createCollector, type Collector } from './inventory/collector.ts';
import { createSnapshotSink, type SnapshotSettings } from './inventory/snapshot.ts';
import { createTrace, type Progress, type Trace } from './inventory/trace.ts';
import type { Log } from './log.ts';
import type { CloudObserver } from './metrics/cloud-counters.ts';
import { createServerText } from './metrics/server-text.ts';
import { createPlatformApi, type PlatformApi } from './platform/api.ts';
import { listServers, type Layout } from './platform/list-servers.ts';
import { createServerReader } from './platform/server.ts';
import type { BufferPool } from './transport/buffers.ts';
import { createProxyChoice } from './transport/proxy.ts';
import { createTransport } from './transport/request.ts';
import type { SerialQueue } from './transport/serial-queue.ts';

/** One configured cloud at work: its token, its connection and its collector, shared with no other cloud. */
export interface Cloud {
  readonly config: CloudConfig;
  readonly tokens: TokenSource;
  readonly api: PlatformApi;
  readonly collector: Collector;
  readonly trace: Trace;
}

export function createCloud(
  config: CloudConfig,
  shared: {
    clock: Clock;
    log: Log;
    observer: CloudObserver;
    enqueue: SerialQueue;
    buffers: BufferPool;
    version: string;
    onPage?: (progress: Progress) => void;
  },
): Cloud {
  const { settings } = config;
  const { clock } = shared;
  const trace = createTrace({ clock, next: shared.observer });
  const { observer } = trace;
  const log = shared.log.child({ cloud: config.name });
  const transport = createTransport({
    clock,
    observer,
    enqueue: shared.enqueue,
    buffers: shared.buffers,
    requestTimeoutMs: settings.request_timeout,
    responseLimitBytes: settings.response_limit_bytes,
    connections: settings.concurrency,
    userAgent: `cloud-platform-exporter/${shared.version}`,
    tls: { ...config.tls, insecureSkipVerify: settings.insecure_skip_verify },
    proxyFor: createProxyChoice(config.proxy),
  });
  const issue = createIssuer({ authUrl: settings.auth_url, scope: config.scope, transport, clock });
  const tokens = createTokenSource({ credential: config.credential, issue, clock, observer, log });
  const labelSources = Object.values(settings.labels);
  const api = createPlatformApi({
    transport,
    tokens,
    baseUrl: settings.base_url,
    catalog: { interface: settings.interface, region: settings.region_name },
    query: settings.query,
    withMetadata: labelSources.some((source) => source.startsWith('metadata.')),
  });
  const readServer = createServerReader(labelSources);
  const plan = {
    pageSize: settings.page_size,
    pageLimit: settings.page_limit,
    concurrency: settings.concurrency,
  };
  const snapshotSettings: SnapshotSettings = {
    cloud: config.name,
    extraLabels: Object.keys(settings.labels),
    bytesPer: settings.units,
    seriesLimit: settings.series_limit,
    problems: {
      limit: settings.problem_limit,
      stuckAfterMs: settings.stuck_after,
      expiringWithinMs: settings.expiring_within,
    },
  };
  let layout: Layout | undefined;
  const collector = createCollector({
    cloud: config.name,
    clock,
    observer,
    log,
    token: tokens.held,
    operation: () => (tokens.isAwaited() ? 'login' : 'list_servers'),
    maxAgeMs: settings.max_age,
    maxStaleMs: settings.max_stale,
    timeoutMs: settings.collection_timeout,
    async collect({ deadline, signal, keepServers }) {
      trace.holding(tokens.held());
      const createSink = () => {
        trace.reading();
        const serverText = settings.per_server ? createServerText(snapshotSettings) : undefined;
        return createSnapshotSink(snapshotSettings, clock.now(), { keepServers, serverText });
      };
      try {
        const listing = await listServers({
          api,
          plan,
          readServer,
          createSink,
          layout,
          context: { deadline, signal },
          onPage(progress) {
            trace.pageRead(progress);
            shared.onPage?.(progress);
          },
        });
        signal.throwIfAborted();
        layout = listing.layout;
        await yieldToEventLoop();
        const snapshot = listing.intake.finish(clock.now(), listing);
        trace.collected(snapshot);
        await yieldToEventLoop();
        return snapshot;
      } finally {
        transport.closeIdle();
      }
    },
  });
  return { config, tokens, api, collector, trace };
}
