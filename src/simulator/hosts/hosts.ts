import type { Rights } from '../accounts.ts';
import { Refusal, succeed, type Dialect } from '../answer.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { HostRecord } from '../fleet/host-record.ts';
import type { IssuedToken } from '../identity/tokens.ts';
import { createEncoder } from '../lists/encoder.ts';
import { wrapPage } from '../lists/envelope.ts';
import { readFilters } from '../lists/filters.ts';
import { effectiveLimit, readBoolean, readList, readPage, type PageSizes } from '../lists/paging.ts';
import { readView, wholeRecord, type View } from '../lists/view.ts';
import { requirePrivilege } from '../privilege.ts';
import type { Hooks, Quirks } from '../quirks.ts';
import type { Release } from '../release.ts';
import type { Done } from '../work/workers.ts';
import { createHostText, isHostColumn } from './host-text.ts';

export interface HostsParts {
  readonly fleet: Fleet;
  readonly dialect: Dialect;
  readonly release: Release;
  readonly sizes: PageSizes;
  readonly quirks: Quirks;
}

export interface HostsRequest {
  readonly query: URLSearchParams;
  readonly token: IssuedToken;
  readonly hooks: Hooks;
}

export interface Hosts {
  list(request: HostsRequest): Promise<Done>;
  show(id: string, request: HostsRequest): Done;
}

export function createHosts({ fleet, dialect, release, sizes, quirks }: HostsParts): Hosts {
  const plainEncoderOf = createEncoder<HostRecord>((view) => createHostText(view, []));

  /** Details are sums over the servers of the moment, so only columns are remembered. */
  function encodeAll(hosts: readonly HostRecord[], view: View): Buffer[] {
    if (!view.details) return hosts.map(plainEncoderOf(view));
    const write = createHostText(view, fleet.servers);
    return hosts.map((host) => Buffer.from(write(host)));
  }

  function admit({ query, token }: HostsRequest): View {
    const asked = query.get('scope');
    const allowed = allowedFor(token.account.rights);
    requirePrivilege({ resource: 'hosts', required: 'system', allowed, asked, release });
    return readView(query, dialect, token.account.rights);
  }

  function effortOf(view: View, rows: number): Done['effort'] {
    return { kind: view.details ? 'detailedHosts' : 'hosts', rows, searched: 0, summed: 0 };
  }

  return {
    async list(request) {
      const { query, hooks } = request;
      const view = admit(request);
      const page = readPage(query, dialect, sizes);
      const count = select(fleet.hosts, query, dialect).length;
      const limit = effectiveLimit(page, count, dialect, sizes);
      await hooks.beforeHosts?.({ offset: page.offset, limit }, query);

      const matching = select(fleet.hosts, query, dialect);
      const rows = encodeAll(matching.slice(page.offset, page.offset + limit), view);
      const total = quirks.hostTotal === undefined ? matching.length : quirks.hostTotal(matching.length);
      const body = wrapPage(dialect, { key: 'hosts', limit, offset: page.offset, total, rows });
      return { answer: succeed(dialect, body), effort: effortOf(view, rows.length) };
    },
    show(id, request) {
      admit(request);
      const host = fleet.hosts.find((one) => one.id === id);
      if (host === undefined) throw new Refusal(404, 'ResourceNotFoundError', `host ${id} not found`);
      const body = Buffer.concat([
        Buffer.from('{"host":'),
        ...encodeAll([host], wholeRecord),
        Buffer.from('}'),
      ]);
      return { answer: succeed(dialect, body), effort: effortOf(wholeRecord, 1) };
    },
  };
}

/** A plain user has no policy on hosts at all: `allow:none`, though the token is good for servers. */
function allowedFor(rights: Rights): Rights {
  return rights === 'project' ? 'none' : rights;
}

/** The emulated hosts of public clouds are hidden unless they are asked for. */
function select(
  hosts: readonly HostRecord[],
  query: URLSearchParams,
  dialect: Dialect,
): readonly HostRecord[] {
  const emulated = readBoolean(query, 'show_emulated', dialect) ?? false;
  const any = readBoolean(query, 'filter_any', dialect) ?? false;
  const [first] = hosts;
  const isKnown = (column: string) => first !== undefined && isHostColumn(column, first);
  const filter = readFilters({ texts: readList(query, 'filter'), any }, isKnown) ?? (() => true);
  return hosts.filter((host) => (emulated || !host.is_emulated) && filter({ ...host }));
}
