import type { Facts, Finding } from './findings.ts';
import type { SeriesCount } from './series.ts';
import type { CloudConfig } from '../config/load.ts';
import type { Token } from '../identity/issue.ts';
import { bytesOf, countOf } from '../words.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { printable } from '../printable.ts';
import { failureAdvice } from '../transport/advice.ts';
import type { Failure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';

export interface CloudReport extends Facts {
  readonly findings: readonly Finding[];
}

/** One document, for scripts; its keys are a promise. `problems` are those of the configuration. */
export function jsonReport(
  reports: readonly CloudReport[],
  { version, problems = [] }: { version: string; problems?: readonly string[] },
): string {
  const ok = problems.length === 0 && reports.every(({ failure }) => failure === undefined);
  const document = { ok, version, problems, clouds: reports.map(cloudDocument) };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function cloudDocument(report: CloudReport): object {
  const { config, token, endpoint, view, series, failure, findings } = report;
  const { snapshot, durationSeconds } = view ?? {};
  const list = snapshot?.lists.get('servers');
  return {
    cloud: config.name,
    ok: failure === undefined,
    ...(failure && { failure: { ...adviceOn(failure), message: failure.message } }),
    ...(token && {
      login: {
        method: config.credential.method,
        user: token.user,
        user_domain: token.userDomain,
        scope: scopeOf(config, token),
        roles: token.roles,
        token_expires_at: isoTime(token.expiresAt) ?? null,
        password_expires_at: isoTime(token.passwordExpiresAt) ?? null,
      },
    }),
    ...(view?.scope && { scope: { in_use: view.scope.scope, why: view.scope.why } }),
    ...(endpoint && { endpoint: { url: withoutCredentials(endpoint), source: endpointSource(config) } }),
    ...(snapshot &&
      list && {
        list: {
          servers: list.received,
          reported: list.reported ?? null,
          rejected: Object.fromEntries(list.rejected),
          projects: snapshot.projects,
          pages: list.pages,
          seconds: durationSeconds,
        },
      }),
    ...(snapshot && { lists: listDocument(snapshot), room: roomLeft(snapshot) }),
    ...(series && {
      series: {
        total: totalOf(series),
        per_server: series.perServer,
        bytes: series.bytes,
        families: Object.fromEntries(series.families),
      },
    }),
    findings,
  };
}

/** Records of each list; what could not be listed says why. */
function listDocument({ lists }: Snapshot): object {
  return Object.fromEntries(
    [...lists].map(([resource, { received, failure }]) => [
      resource,
      failure ? { reason: failure.reason, message: failure.message } : { records: received },
    ]),
  );
}

export function textReport(reports: readonly CloudReport[]): string {
  const fine = reports.filter(({ failure }) => failure === undefined).length;
  const lines = [
    ...reports.flatMap((report) => [...cloudLines(report), '']),
    `${fine} of ${reports.length} ${reports.length === 1 ? 'cloud' : 'clouds'} can be collected.`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

const pairWords =
  'two Prometheus servers double what the platform does, unless max_age is set, such as to 30s';

function cloudLines(report: CloudReport): string[] {
  const { config, token, endpoint, view, failure, findings, now } = report;
  return [
    `${config.name}: ${failure ? `FAILED (${failure.reason})` : 'ok'}`,
    failure && [failure.message, adviceOn(failure).meaning, failure.cure].map((line) => `  ${line}`),
    token && loginLines(config, token, now),
    endpoint && `  endpoint  ${withoutCredentials(endpoint)}, from ${endpointWords[endpointSource(config)]}`,
    view?.scope && `  scope     ${view.scope.scope}, ${view.scope.why}`,
    view?.snapshot && roomLines(view.snapshot),
    view && config.settings.max_age === 0 && `  pair      ${pairWords}`,
    tableLines(report),
    findings.length > 0 && ['', '  What looks wrong:'],
    findings.flatMap(({ what, cure }) => [`  - ${what}`, ...cure.split('\n').map((line) => `    ${line}`)]),
  ].flatMap((lines) => lines || []);
}

function loginLines(config: CloudConfig, token: Token, now: number): string[] {
  const roles = token.roles.length > 0 ? `roles ${token.roles.join(', ')}` : 'no roles';
  const { method } = config.credential;
  return [
    `  login     ${token.user} of domain ${token.userDomain || '?'}, by ${method}; ${scopeOf(config, token)}; ${roles}`,
    `  token     ${expiryWords(token.expiresAt, now)}`,
    `  password  ${expiryWords(token.passwordExpiresAt, now)}`,
  ];
}

function roomLines(snapshot: Snapshot): string[] {
  const listed = [...snapshot.lists].map(([resource, { failure, received = 0 }]) =>
    failure ? `no ${resource} (${failure.reason})` : `${countOf(received)} ${resource}`,
  );
  const room = roomWords(roomLeft(snapshot));
  return [`  may list  ${listed.join(', ')}`, ...(room === '' ? [] : [`  capacity  ${room}`])];
}

function roomWords({ vcpus, memory_bytes, storage_bytes, devices }: ReturnType<typeof roomLeft>): string {
  const words = [
    vcpus && `${countOf(vcpus.free)} of ${countOf(vcpus.of)} vCPUs`,
    memory_bytes && `${bytesOf(memory_bytes.free)} of ${bytesOf(memory_bytes.of)} of memory`,
    storage_bytes && `${bytesOf(storage_bytes.free)} of ${bytesOf(storage_bytes.of)} of storage`,
    devices && `${countOf(devices.free)} of ${countOf(devices.of)} devices`,
  ].filter((word) => word !== undefined);
  return words.length > 0 ? `${words.join(', ')} free` : '';
}

/** Free capacity, as the platform's scheduler counts it; undefined where the account may not list it. */
function roomLeft({ hosts, storages, lists, bytesPer }: Snapshot) {
  const hostsWith = (resource: Resource) => (lists.get(resource)?.received === undefined ? undefined : hosts);
  const capacities = hostsWith('hosts')?.all.flatMap(({ capacity }) =>
    capacity?.isSchedulable ? capacity : [],
  );
  const devices = hostsWith('isolated_devices')?.devices;
  const online = storages?.filter(({ isUp }) => isUp);
  return {
    vcpus: left(capacities, (host) => [host.vcpusAllocatable, host.vcpusAllocated]),
    memory_bytes: left(capacities, (host) => [host.memoryAllocatable, host.memoryAllocated], bytesPer.memory),
    storage_bytes: left(online, ({ allocatable, allocated }) => [allocatable, allocated], bytesPer.disk),
    devices: left(devices && [...devices.labels.keys()], (at) => {
      const { devices: all, free } = devices!.sums;
      return [all![at]!, all![at]! - free![at]!];
    }),
  };
}

/** One that is overcommitted does not lessen what others have free. */
function left<Item>(
  items: readonly Item[] | undefined,
  numbersOf: (item: Item) => readonly [allocatable: number | undefined, allocated: number | undefined],
  unit = 1,
) {
  if (!items) return undefined;
  let [free, of] = [0, 0];
  for (const item of items) {
    const [allocatable = 0, allocated = 0] = numbersOf(item);
    free += Math.max(0, allocatable - allocated) * unit;
    of += allocatable * unit;
  }
  return { free, of };
}

function expiryWords(at: number | undefined, now: number): string {
  if (at === undefined) return 'the platform names no end';
  const hours = (at - now) / 3_600_000;
  const left = Math.abs(hours) < 48 ? `${hours.toFixed(1)} h` : `${Math.floor(hours / 24)} days`;
  return `until ${isoTime(at)}, in ${left}`;
}

function tableLines({ config, view, series }: CloudReport): string[] {
  const { snapshot, durationSeconds = 0 } = view ?? {};
  const list = snapshot?.lists.get('servers');
  if (!snapshot || !list || !series) return [];
  const columns = [
    ['servers', String(list.received)],
    ['projects', String(snapshot.projects)],
    ['pages', String(list.pages)],
    ['seconds', durationSeconds.toFixed(2)],
    ['series', String(totalOf(series))],
    ['bytes', String(series.bytes)],
  ] as const;
  const widths = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  const row = (line: 0 | 1) =>
    `  ${columns.map((cells, index) => cells[line].padStart(widths[index]!)).join('  ')}`;
  const families = [...series.families].map(([name, count]) => `  ${String(count).padStart(9)}  ${name}`);
  const extra = `  ${String(series.perServer).padStart(9)}  more with per_server: true`;
  return ['', row(0), row(1), '', '     series  family', ...families].concat(
    config.settings.per_server ? [] : [extra],
  );
}

function scopeOf({ scope }: CloudConfig, { project }: Token): string {
  if (project !== '') return `project ${project}`;
  if (!scope || !('domain' in scope)) return 'no scope';
  return `domain ${'name' in scope.domain ? scope.domain.name : scope.domain.id}`;
}

/** An address of the catalog may hold a user and a password, which are nobody's business. */
function withoutCredentials(address: string): string {
  return address.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');
}

const endpointWords = { base_url: 'base_url', catalog: "the token's catalog" } as const;

function endpointSource({ settings }: CloudConfig): keyof typeof endpointWords {
  return settings.base_url === undefined ? 'catalog' : 'base_url';
}

function adviceOn({ reason, cure }: Failure): { reason: string; meaning: string; cure: string } {
  return { reason, meaning: failureAdvice[reason].meaning, cure };
}

function totalOf({ families }: SeriesCount): number {
  return [...families.values()].reduce((sum, count) => sum + count, 0);
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
