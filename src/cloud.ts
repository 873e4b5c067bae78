import type { LookupFunction } from 'node:net';
import type { Clock } from './clock.ts';
import type { CloudConfig } from './config/load.ts';
import { createIssuer } from './identity/issue.ts';
import { createTokenSource, type TokenSource } from './identity/token.ts';
import { createCollection } from './inventory/collect.ts';
import { createCollector, type Collector } from './inventory/collector.ts';
import { createDetailedLists } from './inventory/detailed-list.ts';
import { createLightLists } from './inventory/light-list.ts';
import { createHostLister, type HostLister } from './inventory/host-list.ts';
import { createListCounter } from './inventory/list-counts.ts';
import { createListsOfChanges } from './inventory/lists-of-changes.ts';
import type { CloudObserver } from './inventory/observer.ts';
import { createPlainLists } from './inventory/plain-list.ts';
import type { SnapshotSettings } from './inventory/snapshot.ts';
import { createTrace, type Progress, type Trace } from './inventory/trace.ts';
import type { Log } from './log.ts';
import { groupLimit } from './metrics/budget.ts';
import { fleetBreakdowns, fleetMeasures } from './metrics/fleet.ts';
import { hostMeasures } from './metrics/hosts.ts';
import { createServerText } from './metrics/server-text.ts';
import { createPlatformApi, type PlatformApi } from './platform/api.ts';
import { fieldsFor, unreadFields } from './platform/fields.ts';
import { hostFields } from './platform/host.ts';
import { createServerReader } from './platform/server.ts';
import { createSharedTexts } from './platform/shared-texts.ts';
import { createTransport } from './transport/request.ts';
import type { YieldToEventLoop } from './yield-to-event-loop.ts';

/** The platform's largest page. A host without details is small, and costs the platform little. */
const hostsPerPage = 2048;

/** Else servers of other projects are not seen: what they leave of a host would be told too high. */
function seesEveryProject(query: readonly (readonly [string, string])[]): boolean {
  return query.some(([name, value]) => name === 'scope' && (value === 'system' || value === 'max'));
}

/** One configured cloud at work: its token, its connection and its collector, shared with no other cloud. */
export interface Cloud {
  readonly config: CloudConfig;
  readonly tokens: TokenSource;
  readonly api: PlatformApi;
  readonly collector: Collector;
  /** Undefined where hosts are not listed. */
  readonly hostLister: HostLister | undefined;
  readonly trace: Trace;
}

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
): Cloud {
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
    // One more for hosts: a page of servers never waits for them.
    connections: settings.concurrency + 1,
    userAgent: `cloud-platform-exporter/${shared.version}`,
    lookup: shared.lookup,
    tls: { ...config.tls, insecureSkipVerify: settings.insecure_skip_verify },
    proxy: config.proxy,
  });
  const issue = createIssuer({ authUrl: settings.auth_url, scope: config.scope, transport, clock });
  const tokens = createTokenSource({ credential: config.credential, issue, clock, observer, log });
  const labelSources = Object.values(settings.labels);
  const readServer = createServerReader(labelSources);
  const needsOf = (isDiscovering: boolean) => ({
    labelSources,
    singleServers: isDiscovering || settings.per_server,
  });
  const api = createPlatformApi({
    transport,
    tokens,
    baseUrl: settings.base_url,
    catalog: { interface: settings.interface, region: settings.region_name },
    query: settings.query,
    withMetadata: labelSources.some((source) => source.startsWith('metadata.')),
  });
  const share = createSharedTexts();
  const plan = {
    pageSize: settings.page_size,
    pageLimit: settings.page_limit,
    overlap: 10,
    concurrency: settings.concurrency,
  };
  const snapshotSettings: SnapshotSettings = {
    cloud: config.name,
    extraLabels: Object.keys(settings.labels),
    bytesPer: settings.units,
    seriesLimit: settings.series_limit,
    groupLimit: groupLimit(settings.series_limit),
    measures: fleetMeasures,
    breakdowns: fleetBreakdowns,
    hostMeasures: settings.per_host ? hostMeasures : undefined,
    problems: {
      limit: settings.problem_limit,
      stuckAfterMs: settings.stuck_after,
      expiringWithinMs: settings.expiring_within,
    },
  };
  const reading = { readServer, settings: snapshotSettings };
  const hasChanges = settings.list_max_age > 0;
  const listCounter = createListCounter({ hasChanges });
  const listWhole = createPlainLists(share);
  const listPlain = hasChanges
    ? createListsOfChanges({
        listWhole,
        share,
        query: settings.query,
        maxAgeMs: settings.list_max_age,
        clock,
        log,
        onDrift: listCounter.serversDrifted,
      })
    : listWhole;
  const list =
    settings.details_max_age > 0
      ? createLightLists({ ...reading, share, listPlain, maxAgeMs: settings.details_max_age, clock, log })
      : createDetailedLists({ ...reading, clock });
  const hostLister =
    settings.per_host && settings.list_hosts && seesEveryProject(settings.query)
      ? createHostLister({
          api,
          plan: { ...plan, pageSize: hostsPerPage },
          fields: settings.fields === 'all' ? [] : hostFields,
          heldToken: tokens.held,
          clock,
          log,
        })
      : undefined;
  const collect = createCollection({
    hostLister,
    listCounter,
    hasChanges,
    api,
    plan,
    list,
    fields: (isDiscovering) =>
      settings.fields === 'all' ? [] : fieldsFor(readServer, needsOf(isDiscovering)),
    unread: (isDiscovering) => unreadFields(readServer, needsOf(isDiscovering)),
    settings: snapshotSettings,
    createWriter: settings.per_server ? () => createServerText(snapshotSettings) : undefined,
    heldToken: tokens.held,
    clock,
    trace,
    onPage: shared.onPage,
  });
  const collector = createCollector({
    cloud: config.name,
    clock,
    observer,
    log,
    token: tokens.held,
    listCounts: listCounter.counts,
    operation: () => (tokens.isAwaited() ? 'login' : 'list_servers'),
    maxAgeMs: settings.max_age,
    maxStaleMs: settings.max_stale,
    timeoutMs: settings.collection_timeout,
    collect: (task) => collect(task).finally(transport.closeIdle),
  });
  return { config, tokens, api, collector, hostLister, trace };
}
