import { hasRole, systemProject, type Account } from '../accounts.ts';
import { unauthorized } from '../answer.ts';
import { defaultDomain, retailDomain } from '../fleet/catalogue.ts';
import type { Project } from '../fleet/landscape.ts';
import { isNamed, matches, type LoginRequest, type Reference } from './login-request.ts';
import type { Scope } from './tokens.ts';

/** A project wins over a domain; an access key brings its own project; nothing asked is nothing given. */
export function chooseScope(request: LoginRequest, account: Account, projects: readonly Project[]): Scope {
  const { method, project, domain } = request;
  if (method === 'aksk') return { project: findProject({ ...systemProject, id: undefined }, projects) };
  if (project !== undefined) {
    const found = findProject(project, projects);
    if (hasRole(account, found)) return { project: found };
    throw unauthorized(`getTokenV3: project "${found.name}": [auth] user not in project`);
  }
  if (domain === undefined) return {};
  const found = [defaultDomain, retailDomain].find((known) => isNamed(domain) && matches(known, domain));
  const isAdministrator =
    account.rights === 'system' || (account.rights === 'domain' && found?.id === account.domain.id);
  if (found !== undefined && isAdministrator) return { domain: found };
  throw unauthorized(`getTokenV3: domain "${domain.name ?? domain.id}": [auth] user not in project`);
}

function findProject(wanted: Reference & { domain: Reference }, projects: readonly Project[]): Project {
  const found = projects.find((project) =>
    wanted.id === undefined
      ? project.name === wanted.name && isNamed(wanted.domain) && matches(project.domain, wanted.domain)
      : project.id === wanted.id,
  );
  if (found === undefined) throw unauthorized(`getTokenV3: project "${wanted.name ?? wanted.id}" not found`);
  return found;
}
