import { allows } from '../accounts.ts';
import { Refusal, succeed, type Dialect } from '../answer.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { IssuedToken } from '../identity/tokens.ts';
import { createEncoder } from '../lists/encoder.ts';
import { wrapPage } from '../lists/envelope.ts';
import { effectiveLimit, readPage, type PageSizes } from '../lists/paging.ts';
import { readView, wholeRecord, type View } from '../lists/view.ts';
import type { Hooks, Quirks } from '../quirks.ts';
import type { Release } from '../release.ts';
import type { Done } from '../work/workers.ts';
import { readSelection } from './list-query.ts';
import { createSelector } from './selection.ts';
import { createServerText } from './server-text.ts';
import { createSums } from './sums.ts';

export interface ServersParts {
  readonly fleet: Fleet;
  readonly dialect: Dialect;
  readonly release: Release;
  readonly sizes: PageSizes;
  readonly showPendingDeleted: boolean;
  readonly quirks: Quirks;
}

export interface ListRequest {
  readonly query: URLSearchParams;
  readonly token: IssuedToken;
  readonly hooks: Hooks;
}

export interface Servers {
  list(request: ListRequest): Promise<Done>;
  show(id: string, token: IssuedToken): Done;
}

export function createServers(parts: ServersParts): Servers {
  const { fleet, dialect, release, sizes, showPendingDeleted, quirks } = parts;
  const encoderOf = createEncoder((view) => createServerText(view, dialect, release));
  const select = createSelector();
  const sumUp = createSums();

  function encodeAll(servers: readonly ServerRecord[], view: View): Buffer[] {
    const { rewriteServer } = quirks;
    const rows = servers.map(encoderOf(view));
    if (rewriteServer === undefined) return rows;
    const rewritten = rows.map((row) => rewriteServer(JSON.parse(row.toString()) as Record<string, unknown>));
    return rewritten.flatMap((row) => (row === undefined ? [] : [Buffer.from(JSON.stringify(row))]));
  }

  return {
    async list({ query: asking, token, hooks }) {
      const query = quirks.takeParameters?.(asking) ?? asking;
      const page = readPage(query, dialect, sizes);
      const view = readView(query, dialect, token.account.rights);
      const selection = readSelection({ query, token, dialect, release, showPendingDeleted });
      const expected = effectiveLimit(page, select(fleet, selection).length, dialect, sizes);
      const asked = { offset: page.offset, limit: expected };
      await hooks.beforePage?.(asked, query);

      const counted = select(fleet, selection).length;
      await hooks.afterCount?.(asked, query);
      const matching = select(fleet, selection);
      const limit = Math.min(effectiveLimit(page, counted, dialect, sizes), quirks.longestPage ?? Infinity);
      const offset = quirks.ignoreOffset === true ? 0 : page.offset;
      const rows = encodeAll(matching.slice(offset, offset + limit), view);
      const total = quirks.total === undefined ? counted : quirks.total(counted);
      const withSums =
        dialect === 'platform' && (release === '3.10' || query.get('summary_stats') === 'true');
      const sums = withSums ? { sums: sumUp(matching) } : {};
      const body = wrapPage(dialect, { key: 'servers', limit, offset: page.offset, total, rows, ...sums });
      const searched = fleet.servers.length;
      const summed = withSums ? matching.length : 0;
      const effort = {
        kind: view.details ? 'detailed' : 'plain',
        rows: rows.length,
        searched,
        summed,
      } as const;
      return { answer: succeed(dialect, body), effort };
    },
    show(id, token) {
      const server = fleet.find(id);
      if (server === undefined) throw new Refusal(404, 'ResourceNotFoundError', `server ${id} not found`);
      if (!maySee(token, server))
        throw new Refusal(403, 'ForbiddenError', 'not enough privilege (require:project,allow:none)');
      const [row] = encodeAll([server], {
        ...wholeRecord,
        privileged: allows(token.account.rights, 'domain'),
      });
      const body = [Buffer.from('{"server":'), row ?? Buffer.from('null'), Buffer.from('}')];
      return {
        answer: succeed(dialect, Buffer.concat(body)),
        effort: { kind: 'show', rows: 1, searched: 0, summed: 0 },
      };
    },
  };
}

function maySee({ account, scope }: IssuedToken, server: ServerRecord): boolean {
  if (account.rights === 'system') return true;
  if (account.rights === 'domain') return server.domain_id === account.domain.id;
  return account.rights === 'project' && server.tenant_id === scope.project?.id;
}
