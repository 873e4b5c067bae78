import { hasRole, type Account } from './accounts.ts';
import { Refusal, succeed, type Answer } from './answer.ts';
import { domains, type Project } from './fleet/places.ts';
import { tokenBody, type Addresses, type Scope, type Tokens } from './tokens.ts';

/** How a login ends well: by whom it is, and for some ways with a scope of their own and more to tell of the token. */
export type Way = (auth: Json) => { account: Account; scope?: object; told?: object };

export interface IdentityPlan {
  readonly tokens: Tokens;
  readonly accounts: () => readonly Account[];
  /** By the name of the method; whatever else a method is called, it is a password. */
  readonly ways: Readonly<Record<string, Way>>;
  readonly projects: () => readonly Project[];
  readonly addresses: () => Addresses;
}

export function createLogin({ tokens, accounts, ways, ...plan }: IdentityPlan) {
  const byPassword: Way = (auth) => {
    const account = findUser(at(auth, 'identity.password.user'), accounts());
    if (account.disabled === true) throw new Refusal(423, 'UserLocked', 'UserLocked');
    if (textAt(auth, 'identity.password.user.password') === account.password) return { account };
    throw new Refusal(401, 'WrongPassword', 'Authenticate: usrExt.VerifyPassword: WrongPassword');
  };

  return (contentType: string | undefined, body: string, peer: string): Answer => {
    const auth = readAuth(contentType, body);
    const methods = at(auth, 'identity.methods');
    const [method] = Array.isArray(methods) && methods.length === 1 ? (methods as unknown[]) : [];
    if (typeof method !== 'string') throw unauthorized('[auth] invalid auth methods');
    const { account, scope = at(auth, 'scope'), told } = (ways[method] ?? byPassword)(auth);
    const projects = plan.projects();
    const token = tokens.issue(account, chooseScope(scope, account, projects));
    const [ip = peer, source = 'api'] = [textAt(auth, 'context.ip'), textAt(auth, 'context.source')];
    const facts = { method, projects, addresses: plan.addresses(), turn: tokens.issued.length, told };
    const answered = tokenBody(token, { ...facts, context: { ip, source } });
    return succeed(JSON.stringify(answered), { 'X-Subject-Token': token.id });
  };
}

/** A name without its domain is enough where only one domain has it. */
function findUser(user: unknown, accounts: readonly Account[]): Account {
  const [domain, id, name] = [at(user, 'domain'), textAt(user, 'id'), textAt(user, 'name')];
  if (id === undefined && !domains.some((known) => matches(known, domain)))
    throw new Refusal(404, 'UserNotFound', `domain ${textAt(domain, 'name')}: UserNotFound`);
  const found = accounts.filter((account) =>
    id === undefined ? account.name === name && matches(account.domain, domain) : account.id === id,
  );
  if (found.length > 1) throw new Refusal(409, 'ConflictError', 'duplicate username');
  if (found[0] !== undefined) return found[0];
  throw new Refusal(404, 'UserNotFound', isNamed(domain) ? 'idp: UserNotFound' : 'UserNotFound');
}

/** A project wins over a domain; nothing asked is nothing given. */
function chooseScope(asked: unknown, account: Account, projects: readonly Project[]): Scope {
  const [project, domain] = [at(asked, 'project'), at(asked, 'domain')];
  if (isNamed(project)) {
    const found = findProject(project, projects);
    if (hasRole(account, found)) return { project: found };
    throw unauthorized(`getTokenV3: project "${found.name}": [auth] user not in project`);
  }
  if (domain === undefined) return {};
  const found = domains.find((known) => isNamed(domain) && matches(known, domain));
  const isOwn = account.rights === 'domain' && found?.id === account.domain.id;
  if (found !== undefined && (account.rights === 'system' || isOwn)) return { domain: found };
  const name = textAt(domain, 'name') ?? textAt(domain, 'id') ?? '';
  throw unauthorized(`getTokenV3: domain "${name}": [auth] user not in project`);
}

function findProject(wanted: unknown, projects: readonly Project[]): Project {
  const [id, name, domain] = [textAt(wanted, 'id'), textAt(wanted, 'name'), at(wanted, 'domain')];
  const isMeant = (one: Project) => one.name === name && isNamed(domain) && matches(one.domain, domain);
  const found = projects.find((project) => (id === undefined ? isMeant(project) : project.id === id));
  if (found !== undefined) return found;
  const step = domains.some((known) => matches(known, domain)) ? 'q.First' : 'DomainManager.FetchDomain';
  throw unauthorized(`ProjectManager.FetchProject: ${step}: sql: no rows in result set`);
}

function isNamed(wanted: unknown): boolean {
  return (textAt(wanted, 'id') ?? textAt(wanted, 'name')) !== undefined;
}

/** A part that is not given matches anything. */
function matches({ id, name }: { id: string; name: string }, wanted: unknown): boolean {
  return (textAt(wanted, 'id') ?? id) === id && (textAt(wanted, 'name') ?? name) === name;
}

export function unauthorized(details: string): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized ${details}`);
}

export type Json = Readonly<Record<string, unknown>>;

/** What a path of keys leads to. */
function at(root: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, key) => {
    if (inner === undefined || isObject(inner)) return inner?.[key] ?? undefined;
    throw undecodable();
  }, root);
}

export function textAt(root: unknown, path: string): string | undefined {
  const found = at(root, path) ?? '';
  if (typeof found !== 'string') throw undecodable();
  return found === '' ? undefined : found;
}

/** Keys are read in any case. */
function readAuth(contentType: string | undefined, text: string): Json {
  const { auth } = withSmallKeys(parse(text));
  if (!/^application\/json *(;.*)?$/i.test(contentType ?? '') || !isObject(auth)) throw undecodable();
  return auth;
}

/** What is no object is an empty one. */
export function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function undecodable(): Refusal {
  return new Refusal(400, 'InputParameterError', 'fail to decode request body');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withSmallKeys(value: Json): Json {
  const pairs = Object.entries(value).map(([key, inner]) => [
    key.toLowerCase(),
    isObject(inner) ? withSmallKeys(inner) : inner,
  ]);
  return Object.fromEntries(pairs) as Json;
}
