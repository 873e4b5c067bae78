import type { LookupFunction } from 'node:net';
import type { Clock } from './clock.ts';
import type { CloudConfig } from './config/load.ts';
import { createIssuer } from './identity/issue.ts';
import { createTokenSource } from './identity/token.ts';
import { createChangeLists } from './inventory/change-list.ts';
import { createCollection } from './inventory/collect.ts';
import { createCollector, createListCounter } from './inventory/collector.ts';
import { listInDetail } from './inventory/detailed-list.ts';
import { createLightLists, listPlainly } from './inventory/light-list.ts';
import { createMirror } from './inventory/mirror.ts';
import { createRoomLister } from './inventory/rooms.ts';
import { createTrace, type CloudObserver, type Progress } from './inventory/trace.ts';
import type { Log } from './log.ts';
import { fleetBreakdowns, fleetMeasures, groupLimit } from './metrics/fleet.ts';
import { hostMeasures } from './metrics/hosts.ts';
import { createPlatformApi } from './platform/api.ts';
import { fieldsFor } from './platform/fields.ts';
import { createListMemory } from './platform/list-memory.ts';
import { createScopeChoice } from './platform/scope.ts';
import { createServerReader } from './platform/server.ts';
import { createTransport } from './transport/request.ts';
import type { YieldToEventLoop } from './yield-to-event-loop.ts';

/** Hosts, storages, devices, zones and regions are each read beside the servers, which never wait for a connection. */
const connectionsBeside = 5;

export type Cloud = ReturnType<typeof createCloud>;

/** One configured cloud at work: its token, its connection and its collector, shared with no other cloud. */
export function createCloud(
  config: CloudConfig,
  shared: {
    clock: Clock;
    log: Log;
    observer: CloudObserver;
    yieldToEventLoop: YieldToEventLoop;
    lookup: LookupFunction;
    version: string;
    onPage?: (progress: Progress) => void;
  },
) {
  const { settings } = config;
  const { clock } = shared;
  const trace = createTrace({ clock, next: shared.observer });
  const { observer } = trace;
  const log = shared.log.child({ cloud: config.name });
  const transport = createTransport({
    clock,
    observer,
    yieldToEventLoop: shared.yieldToEventLoop,
    requestTimeoutMs: settings.request_timeout,
    responseLimitBytes: settings.response_limit_bytes,
    connections: settings.concurrency + connectionsBeside,
    userAgent: `cloud-platform-exporter/${shared.version}`,
    lookup: shared.lookup,
    tls: { ...config.tls, insecureSkipVerify: settings.insecure_skip_verify },
    proxy: config.proxy,
  });
  const issue = createIssuer({ authUrl: settings.auth_url, scope: config.scope, transport, clock });
  const tokens = createTokenSource({ credential: config.credential, issue, clock, observer, log });
  const sources = [Object.values(settings.labels), Object.values(settings.info_labels)] as const;
  const labelSources = sources.flat();
  const readServer = createServerReader(...sources);
  const scope = createScopeChoice(settings.query, log);
  const scopeInUse = () => {
    const token = tokens.held();
    return token && scope.inUse(token);
  };
  /** Else servers of other projects are not seen: what they leave of a host would be told too high. */
  const isOfEverybody = () => scopeInUse()?.scope === 'system';
  const api = createPlatformApi({
    transport,
    tokens,
    scope,
    baseUrl: settings.base_url,
    catalog: { interface: settings.interface, region: settings.region_name },
    query: settings.query,
    withMetadata: labelSources.some((source) => source.startsWith('metadata.')),
  });
  const hasChanges = settings.list_max_age > 0;
  const hasLightLists = settings.details_max_age > 0;
  const listCounter = createListCounter({ hasChanges });
  const memory = createListMemory(clock);
  const mirror = createMirror();
  const listPlain = hasChanges
    ? createChangeLists({
        query: settings.query,
        maxAgeMs: settings.list_max_age,
        clock,
        log,
        onDrift: listCounter.drifted,
      })
    : listPlainly;
  const lightLists = createLightLists({
    readServer,
    listPlain,
    maxAgeMs: settings.details_max_age,
    clock,
    log,
  });
  const rooms = createRoomLister({
    api,
    pageLimit: settings.page_limit,
    settings,
    maxStaleMs: settings.max_stale,
    isOfEverybody,
    heldToken: tokens.held,
    onLoss: () => listCounter.incomplete(['loss']),
    clock,
    log,
  });
  const collect = createCollection({
    api,
    plan: {
      pageSize: settings.page_size,
      pageLimit: settings.page_limit,
      concurrency: settings.concurrency,
      cannotById: settings.query.some(([name]) => name === 'filter_any') ? 'filter_any in query' : undefined,
    },
    memory,
    mirror,
    feed: hasLightLists ? lightLists.feed : (task) => listInDetail(task, readServer),
    readServer,
    settings: {
      cloud: config.name,
      extraLabels: Object.keys(settings.labels),
      infoLabels: Object.keys(settings.info_labels),
      bytesPer: settings.units,
      seriesLimit: settings.series_limit,
      groupLimit: groupLimit(settings.series_limit),
      measures: fleetMeasures,
      breakdowns: fleetBreakdowns,
      hostMeasures,
      problems: {
        limit: settings.problem_limit,
        stuckAfterMs: settings.stuck_after,
        expiringWithinMs: settings.expiring_within,
      },
      overcommit: settings.overcommit,
      perHost: settings.per_host,
      perServer: settings.per_server,
      hasLightLists,
    },
    fields(isDiscovering) {
      const singleServers = isDiscovering || settings.per_server;
      return settings.fields === 'all' ? [] : fieldsFor(readServer, { labelSources, singleServers });
    },
    rooms,
    isOfEverybody,
    onIncomplete: listCounter.incomplete,
    onSuccess() {
      const token = tokens.held();
      if (!token) return;
      scope.succeeded(token);
      trace.listed(scope.inUse(token));
    },
    clock,
    trace,
    onPage: shared.onPage,
    yieldToEventLoop: shared.yieldToEventLoop,
  });
  const collector = createCollector({
    cloud: config.name,
    clock,
    observer,
    log,
    token: tokens.held,
    scope: scopeInUse,
    listCounts: listCounter.counts,
    operation: () => (tokens.isAwaited() ? 'login' : 'list_servers'),
    maxAgeMs: settings.max_age,
    maxStaleMs: settings.max_stale,
    timeoutMs: settings.collection_timeout,
    collect(task) {
      trace.holding(tokens.held());
      return collect(task).finally(transport.closeIdle);
    },
  });
  return {
    config,
    tokens,
    collector,
    trace,
    /** After a reload: what was refused or not heeded before is tried again. */
    forget(): void {
      tokens.resetBackoff();
      scope.forget();
      memory.forget();
      lightLists.forget();
      rooms.forget();
    },
  };
}
