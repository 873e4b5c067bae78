import { Refusal, type Answer, type Dialect } from '../answer.ts';
import { createEncoder, type View } from './encoding.ts';
import { createEnvelope } from './envelope.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createSelector, type Selection } from './listing.ts';
import { effectiveLimit, readBoolean, readPage, type Page, type PageSizes } from './paging.ts';
import type { Quirks } from '../quirks.ts';
import type { IssuedToken } from '../identity/tokens.ts';

export interface ServersParts {
  readonly fleet: Fleet;
  readonly dialect: Dialect;
  readonly sizes: PageSizes;
  readonly showPendingDeleted: boolean;
  readonly quirks: Quirks;
}

export interface ListRequest {
  readonly query: URLSearchParams;
  readonly token: IssuedToken;
  /** Called when it is clear which page will be cut, and before it is cut. */
  readonly beforePage: (page: Page) => void | Promise<void>;
}

export interface Servers {
  list(request: ListRequest): Promise<{ readonly answer: Answer; readonly rows: number }>;
  show(id: string, token: IssuedToken): Answer;
}

export function createServers({ fleet, dialect, sizes, showPendingDeleted, quirks }: ServersParts): Servers {
  const encode = createEncoder(dialect);
  const select = createSelector();
  const wrapPage = createEnvelope(dialect);
  const contentType =
    dialect === 'document' ? 'application/json; charset=UTF-8' : 'application/json;charset=utf-8';
  const succeed = (body: Buffer): Answer => ({ status: 200, headers: { 'Content-Type': contentType }, body });

  function encodeAll(servers: readonly (typeof fleet.servers)[number][], view: View): Buffer[] {
    const { rewriteServer } = quirks;
    const rows = servers.map((server) => encode(server, view));
    if (rewriteServer === undefined) return rows;
    const rewritten = rows.map((row) => rewriteServer(JSON.parse(row.toString()) as Record<string, unknown>));
    return rewritten.flatMap((row) => (row === undefined ? [] : [Buffer.from(JSON.stringify(row))]));
  }

  return {
    async list({ query, token, beforePage }) {
      const page = readPage(query, dialect, sizes);
      const view = readView(query, dialect);
      const selection = readSelection({ query, token, dialect, showPendingDeleted });
      const expected = effectiveLimit(page, select(fleet.servers, selection).length, dialect, sizes);
      await beforePage({ offset: page.offset, limit: expected });

      const matching = select(fleet.servers, selection);
      const limit = Math.min(
        effectiveLimit(page, matching.length, dialect, sizes),
        quirks.longestPage ?? Infinity,
      );
      const offset = quirks.ignoreOffset === true ? 0 : page.offset;
      const rows = encodeAll(matching.slice(offset, offset + limit), view);
      const total = quirks.total === undefined ? matching.length : quirks.total(matching.length);
      const body = wrapPage({ limit, offset: page.offset, total, matching, rows });
      return { answer: succeed(body), rows: rows.length };
    },
    show(id, token) {
      const server = fleet.find(id);
      if (server === undefined) throw new Refusal(404, 'ResourceNotFoundError', `server ${id} not found`);
      const foreign = !token.account.administrator && server.tenant_id !== token.scope.project?.id;
      if (foreign)
        throw new Refusal(403, 'ForbiddenError', 'not enough privilege (require:project,allow:none)');
      const [row] = encodeAll([server], 'alone');
      return succeed(
        Buffer.concat([Buffer.from('{"server":'), row ?? Buffer.from('null'), Buffer.from('}')]),
      );
    },
  };
}

/** Absent `details` means true; `with_meta` matters only to the document, the running platform never reads it. */
function readView(query: URLSearchParams, dialect: Dialect): View {
  const details = readBoolean(query, 'details', dialect) ?? true;
  const withMetadata = readBoolean(query, 'with_meta', dialect) ?? false;
  if (!details) return 'columns';
  return withMetadata || dialect === 'platform' ? 'full' : 'withoutMetadata';
}

interface SelectionRequest {
  readonly query: URLSearchParams;
  readonly token: IssuedToken;
  readonly dialect: Dialect;
  readonly showPendingDeleted: boolean;
}

function readSelection({ query, token, dialect, showPendingDeleted }: SelectionRequest): Selection {
  const recycleBin = readRecycleBin(query.get('pending_delete'), showPendingDeleted);
  const everything = {
    recycleBin,
    ascending: dialect === 'platform' && query.get('order') === 'asc',
  } as const;
  if (dialect === 'document') return everything;

  const scope = query.get('scope');
  if ((scope === 'system' || scope === 'domain') && !token.account.administrator) {
    const details = `not enough privilege to do compute:servers:list (require:${scope},allow:project,query:${scope})`;
    throw new Refusal(403, 'ForbiddenError', details);
  }
  if (scope === 'system') return everything;
  const { project, domain } = token.scope;
  if (project === undefined || scope === 'domain') {
    return { ...everything, domainId: (domain ?? project?.domain)?.id ?? '' };
  }
  return { ...everything, projectId: project.id };
}

function readRecycleBin(asked: string | null, shown: boolean): Selection['recycleBin'] {
  if (asked === 'true' || asked === '1') return 'only';
  return shown || asked === 'all' ? 'shown' : 'hidden';
}
