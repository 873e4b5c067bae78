import { createHmac, randomUUID } from 'node:crypto';
import { accessKey, accounts, exporterAccount, hasRole, systemProject, type Account } from './accounts.ts';
import { Refusal, succeed, type Answer } from './answer.ts';
import { domains, type Project } from './fleet/places.ts';
import { tokenBody, type Addresses, type Scope, type Tokens } from './tokens.ts';

export interface IdentityPlan {
  readonly tokens: Tokens;
  readonly projects: () => readonly Project[];
  readonly addresses: () => Addresses;
  /** When the account's password ends; by default never. */
  readonly passwordExpiresAt?: number | undefined;
  /** So many wrong passwords in a row lock a user; by default none does. */
  readonly lockAfter?: number | undefined;
}

export type Identity = ReturnType<typeof createIdentity>;
type Credentials = (auth: Json) => Account;

export function createIdentity({ tokens, projects, lockAfter, ...plan }: IdentityPlan) {
  const tickets = new Set<string>();
  const failures = new Map<string, number>();
  let exporterPassword = exporterAccount.password;

  const byPassword: Credentials = (auth) => {
    const account = findUser(at(auth, 'identity.password.user'));
    const failed = failures.get(account.id) ?? 0;
    if (account.disabled === true || failed === lockAfter) throw new Refusal(423, 'UserLocked', 'UserLocked');
    const password = account === exporterAccount ? exporterPassword : account.password;
    const isRight = textAt(auth, 'identity.password.user.password') === password;
    failures.set(account.id, isRight ? 0 : failed + 1);
    if (isRight) return account;
    throw failed + 1 === lockAfter
      ? new Refusal(429, 'TooManyFailedAttempts', 'Authenticate: user locked: TooManyFailedAttempts')
      : new Refusal(401, 'WrongPassword', 'Authenticate: usrExt.VerifyPassword: WrongPassword');
  };

  /** Whatever else a method is called, it is a password. */
  const ways: Readonly<Record<string, Credentials>> = {
    token(auth) {
      const id = textAt(auth, 'identity.token.id');
      const { state, token } = tokens.inspect(id);
      if (state === 'live' || state === 'unscoped') return token.account;
      throw unauthorized(`authUserByTokenV3: token "${id}" not found: [auth] token not found`);
    },
    cas(auth) {
      const ticket = textAt(auth, 'identity.cas_ticket.id') ?? '';
      if (tickets.delete(ticket)) return exporterAccount;
      throw unauthorized(`authUserByCASV3: ticket "${ticket}" not recognized`);
    },
    aksk(auth) {
      if (isSigned(textAt(auth, 'identity.access_key_secret') ?? '')) return exporterAccount;
      throw unauthorized('authUserByAccessKeyV3: Verify: signature mismatch');
    },
  };

  return {
    login(contentType: string | undefined, body: string, peer: string): Answer {
      const auth = readAuth(contentType, body);
      const methods = at(auth, 'identity.methods');
      const [method] = Array.isArray(methods) && methods.length === 1 ? (methods as unknown[]) : [];
      if (typeof method !== 'string') throw unauthorized('[auth] invalid auth methods');
      const account = (ways[method] ?? byPassword)(auth);
      const isKey = method === 'aksk';
      const scope = chooseScope(isKey ? { project: systemProject } : at(auth, 'scope'), account, projects());
      const token = tokens.issue(account, scope);
      const answered = tokenBody(token, {
        method,
        projects: projects(),
        addresses: plan.addresses(),
        turn: tokens.issued.length,
        context: {
          ip: textAt(auth, 'context.ip') ?? peer,
          source: textAt(auth, 'context.source') ?? 'api',
        },
        passwordExpiresAt: plan.passwordExpiresAt,
        key: isKey ? accessKey : undefined,
      });
      return succeed(JSON.stringify(answered), { 'X-Subject-Token': token.id });
    },
    setPassword(password: string): void {
      exporterPassword = password;
    },
    /** A CAS ticket that opens one login. */
    issueTicket(): string {
      const ticket = `ST-${randomUUID()}`;
      tickets.add(ticket);
      return ticket;
    },
    /** As an administrator does who enables every user that was locked. */
    unlock: () => failures.clear(),
  };
}

/** A name without its domain is enough where only one domain has it. */
function findUser(user: unknown): Account {
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

/** `access_key_secret` is a string that holds JSON: a V4 signature of the login itself, never the secret. */
export function isSigned(text: string, { id, secret } = accessKey): boolean {
  const { access_key, algorithm, location, request, sign_date, signature, signed_headers } = parse(text);
  if (access_key !== id || !Array.isArray(signed_headers)) return false;
  const date = String(sign_date).slice(0, 10).replaceAll('-', '');
  const scope = `${date}/${String(location)}/s3/aws4_request`;
  const [named, moment, scoped, digest = ''] = String(request).split('\n');
  if (algorithm !== 'AWS4-HMAC-SHA256' || named !== algorithm || scoped !== scope) return false;
  if (moment?.startsWith(date) !== true || !/^[0-9a-f]{64}$/.test(digest)) return false;
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.split('/').reduce<string | Buffer>(sign, `AWS4${secret}`);
  return sign(key, String(request)).toString('hex') === signature;
}

function unauthorized(details: string): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized ${details}`);
}

type Json = Readonly<Record<string, unknown>>;

/** What a path of keys leads to. */
function at(root: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, key) => {
    if (inner === undefined || isObject(inner)) return inner?.[key] ?? undefined;
    throw undecodable();
  }, root);
}

function textAt(root: unknown, path: string): string | undefined {
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
function parse(text: string): Json {
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
