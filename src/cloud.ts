import type { CloudConfig } from './config/load.ts';
import { createIssuer } from './identity/issue.ts';
import { createTokenSource } from './identity/token.ts';
import { collect, type CollectionInput } from './inventory/collect.ts';
import { createCollector } from './inventory/collector.ts';
import { sideResources } from './inventory/side-resources.ts';
import { createTrace, type CloudObserver } from './inventory/trace.ts';
import { fleetSettings } from './metrics/fleet.ts';
import { hostSettings } from './metrics/hosts.ts';
import { createPlatformApi } from './platform/api.ts';
import { createServerReader, fieldsFor } from './platform/server.ts';
import { createTransport, type TransportSettings } from './transport/request.ts';

/** The lists beside the servers have connections of their own, so that servers never wait for one. */
const connectionsBeside = Object.keys(sideResources).length;

export type Cloud = ReturnType<typeof createCloud>;

interface Shared
  extends
    Pick<TransportSettings, 'clock' | 'yieldToEventLoop' | 'bodies' | 'lookup'>,
    Pick<CollectionInput, 'log' | 'onPage'> {
  readonly observer: CloudObserver;
  readonly version: string;
}

/** One configured cloud at work: its token, its connection and its collector, shared with no other cloud. */
export function createCloud(config: CloudConfig, shared: Shared) {
  const { name, settings, credential, scope, tls, proxy } = config;
  const { query } = settings;
  const { clock } = shared;
  const trace = createTrace(clock, shared.observer);
  const log = shared.log.child({ cloud: name });
  const common = { ...shared, observer: trace.observer, log };
  const transport = createTransport({
    ...common,
    requestTimeoutMs: settings.request_timeout,
    responseLimitBytes: settings.response_limit_bytes,
    connections: settings.concurrency + connectionsBeside,
    userAgent: `cloud-platform-exporter/${shared.version}`,
    tls: { ...tls, insecureSkipVerify: settings.insecure_skip_verify },
    proxy,
  });
  const issue = createIssuer({ authUrl: settings.auth_url, scope, transport, clock });
  const tokens = createTokenSource({ ...common, credential, issue });
  const sources = [Object.values(settings.labels), Object.values(settings.info_labels)] as const;
  const labelSources = sources.flat();
  const readServer = createServerReader(...sources);
  const input: CollectionInput = {
    ...common,
    query,
    tokens,
    trace,
    readServer,
    fields(withSingleServers) {
      const singleServers = withSingleServers || settings.per_server;
      return settings.fields === 'all' ? [] : fieldsFor(readServer, { labelSources, singleServers });
    },
    plan: {
      pageSize: settings.page_size,
      pageLimit: settings.page_limit,
      concurrency: settings.concurrency,
      detailsMaxAgeMs: settings.details_max_age,
      cannotById: query.some(([word]) => word === 'filter_any') ? 'filter_any in query' : undefined,
    },
    settings: {
      ...settings,
      ...fleetSettings(settings.series_limit),
      ...hostSettings,
      problems: {
        limit: settings.problem_limit,
        stuckAfterMs: settings.stuck_after,
        expiringWithinMs: settings.expiring_within,
      },
      described: {
        cloud: name,
        extraLabels: Object.keys(settings.labels),
        infoLabels: Object.keys(settings.info_labels),
        bytesPer: settings.units,
        seriesLimit: settings.series_limit,
        exportsServers: settings.per_server,
      },
    },
    apiIn: (choice, isProven) =>
      createPlatformApi({
        transport,
        tokens,
        scope: choice,
        isProven,
        baseUrl: settings.base_url,
        catalog: { interface: settings.interface, region: settings.region_name },
        query,
        withMetadata: labelSources.some((source) => source.startsWith('metadata.')),
      }),
  };
  const collector = createCollector({
    ...common,
    cloud: name,
    tokens,
    query,
    maxAgeMs: settings.max_age,
    maxStaleMs: settings.max_stale,
    timeoutMs: settings.collection_timeout,
    collect: (known, task) => collect(input, known, task).finally(transport.closeIdle),
  });
  return {
    config,
    tokens,
    collector,
    trace,
    /** After a reload: what was refused or not heeded before is tried again. */
    forget(): void {
      tokens.resetBackoff();
      collector.forgetRefusals();
    },
  };
}
