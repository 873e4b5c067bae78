import type { Dialect } from '../answer.ts';
import type { IssuedToken } from '../identity/tokens.ts';
import { readScope, requirePrivilege } from '../privilege.ts';
import type { Release } from '../release.ts';
import { readBoolean, readList } from '../lists/paging.ts';
import { everything, type Selection } from './selection.ts';

export interface ListQuery {
  readonly query: URLSearchParams;
  readonly token: IssuedToken;
  readonly dialect: Dialect;
  readonly release: Release;
  readonly showPendingDeleted: boolean;
}

const plainFilters =
  'status hypervisor os_type billing_type zone host region project tenant brand name'.split(' ');

/** Which servers a list is about, as the parameters and the rights behind the token have it. */
export function readSelection(asked: ListQuery): Selection {
  const { query, token, dialect, release, showPendingDeleted } = asked;
  const recycleBin = readRecycleBin(query.get('pending_delete'), showPendingDeleted);
  if (dialect === 'document') return { ...everything, recycleBin };

  const { rights } = token.account;
  const word = query.get('scope');
  const scope = readScope(word, rights, release);
  requirePrivilege({ resource: 'servers', required: scope, allowed: rights, asked: word, release });
  const narrowed = {
    ...everything,
    ascending: query.get('order') === 'asc',
    filters: { texts: readList(query, 'filter'), any: readBoolean(query, 'filter_any', dialect) ?? false },
    equal: plainFilters.flatMap((field) => {
      const values = readList(query, field);
      return values.length === 0 ? [] : [[field, values] as const];
    }),
  };
  // Drops the filters on owner, recycle bin, system and emulated as well; others than the system's are not heard.
  if (query.get('delete') === 'all' && rights === 'system') return { ...narrowed, deleted: true };
  return {
    ...narrowed,
    recycleBin,
    ...readOwner(scope, token),
    system: readBoolean(query, 'system', dialect) ?? false,
    emulated: readBoolean(query, 'show_emulated', dialect) ?? false,
  };
}

function readOwner(scope: string, { scope: { project, domain } }: IssuedToken): Partial<Selection> {
  if (scope === 'system') return {};
  if (project === undefined || scope === 'domain') return { domainId: (domain ?? project?.domain)?.id ?? '' };
  return { projectId: project.id };
}

function readRecycleBin(asked: string | null, shown: boolean): Selection['recycleBin'] {
  if (asked === 'true' || asked === '1') return 'only';
  return shown || asked === 'all' ? 'shown' : 'hidden';
}
