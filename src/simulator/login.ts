import { createHmac, randomUUID } from 'node:crypto';
import { accessKey, accounts, exporterAccount, hasRole, systemProject, type Account } from './accounts.ts';
import { Refusal, succeed, type Answer } from './answer.ts';
import { domains, type Project } from './fleet/places.ts';
import { tokenBody, type Addresses, type Scope, type Tokens } from './tokens.ts';

export interface IdentityParts {
  readonly tokens: Tokens;
  readonly projects: () => readonly Project[];
  readonly addresses: () => Addresses;
  readonly passwordExpiresAtMs: number | undefined;
  /** So many wrong passwords in a row lock a user; by default none does. */
  readonly lockAfter: number | undefined;
}

export interface Identity {
  login(request: { contentType: string | undefined; body: string; peer: string }): Answer;
  setPassword(password: string): void;
  /** A CAS ticket that opens one login. */
  issueTicket(): string;
  /** As an administrator does who enables every user that was locked. */
  unlock(): void;
}

export function createIdentity(parts: IdentityParts): Identity {
  const { tokens, projects, lockAfter } = parts;
  const tickets = new Set<string>();
  const failures = new Map<string, number>();
  let exporterPassword = exporterAccount.password;

  function byPassword(auth: Reader): Account {
    const account = findUser(auth.at('identity.password.user'));
    const failed = failures.get(account.id) ?? 0;
    if (account.disabled === true || failed === lockAfter) throw new Refusal(423, 'UserLocked', 'UserLocked');
    const password = account === exporterAccount ? exporterPassword : account.password;
    const isRight = auth.text('identity.password.user.password') === password;
    failures.set(account.id, isRight ? 0 : failed + 1);
    if (isRight) return account;
    throw failed + 1 === lockAfter
      ? new Refusal(429, 'TooManyFailedAttempts', 'Authenticate: user locked: TooManyFailedAttempts')
      : new Refusal(401, 'WrongPassword', 'Authenticate: usrExt.VerifyPassword: WrongPassword');
  }

  /** Whatever else a method is called, it is a password. */
  const ways: Readonly<Record<string, (auth: Reader) => Account>> = {
    token(auth) {
      const id = auth.text('identity.token.id');
      const { state, token } = tokens.inspect(id);
      if (token !== undefined && (state === 'live' || state === 'unscoped')) return token.account;
      throw unauthorized(`authUserByTokenV3: token "${id}" not found: [auth] token not found`);
    },
    cas(auth) {
      const ticket = auth.text('identity.cas_ticket.id') ?? '';
      if (tickets.delete(ticket)) return exporterAccount;
      throw unauthorized(`authUserByCASV3: ticket "${ticket}" not recognized`);
    },
    aksk(auth) {
      if (isSigned(auth.text('identity.access_key_secret') ?? '')) return exporterAccount;
      throw unauthorized('authUserByAccessKeyV3: Verify: signature mismatch');
    },
  };

  return {
    login({ contentType, body, peer }) {
      const auth = readBody(contentType, body).at('auth');
      const methods = auth.value('identity.methods');
      const [method] = Array.isArray(methods) && methods.length === 1 ? (methods as unknown[]) : [];
      if (typeof method !== 'string') throw unauthorized('[auth] invalid auth methods');
      const account = (ways[method] ?? byPassword)(auth);
      const isKey = method === 'aksk';
      const asked = isKey ? readerOf({ project: systemProject }) : auth.at('scope');
      const token = tokens.issue(account, chooseScope(asked, account, projects()));
      const answered = tokenBody({
        method,
        token,
        projects: projects(),
        addresses: parts.addresses(),
        turn: tokens.issued.length,
        context: { ip: auth.text('context.ip') ?? peer, source: auth.text('context.source') ?? 'api' },
        passwordExpiresAtMs: parts.passwordExpiresAtMs,
        accessKey: isKey ? accessKey : undefined,
      });
      const answer = succeed(Buffer.from(JSON.stringify(answered)));
      return { ...answer, headers: { ...answer.headers, 'X-Subject-Token': token.id } };
    },
    setPassword(password) {
      exporterPassword = password;
    },
    issueTicket() {
      const ticket = `ST-${randomUUID()}`;
      tickets.add(ticket);
      return ticket;
    },
    unlock: () => failures.clear(),
  };
}

/** A name without its domain is enough where only one domain has it. */
function findUser(user: Reader): Account {
  const domain = user.at('domain');
  const [id, name] = [user.text('id'), user.text('name')];
  if (id === undefined && !domains.some((known) => matches(known, domain)))
    throw new Refusal(404, 'UserNotFound', `domain ${domain.text('name')}: UserNotFound`);
  const found = accounts.filter((account) =>
    id === undefined ? account.name === name && matches(account.domain, domain) : account.id === id,
  );
  if (found.length > 1) throw new Refusal(409, 'ConflictError', 'duplicate username');
  if (found[0] !== undefined) return found[0];
  throw new Refusal(404, 'UserNotFound', isNamed(domain) ? 'idp: UserNotFound' : 'UserNotFound');
}

/** A project wins over a domain; nothing asked is nothing given. */
function chooseScope(asked: Reader, account: Account, projects: readonly Project[]): Scope {
  const [project, domain] = [asked.at('project'), asked.at('domain')];
  if (isNamed(project)) {
    const found = findProject(project, projects);
    if (hasRole(account, found)) return { project: found };
    throw unauthorized(`getTokenV3: project "${found.name}": [auth] user not in project`);
  }
  if (asked.value('domain') === undefined) return {};
  const found = domains.find((known) => isNamed(domain) && matches(known, domain));
  const isOwn = account.rights === 'domain' && found?.id === account.domain.id;
  if (found !== undefined && (account.rights === 'system' || isOwn)) return { domain: found };
  const name = domain.text('name') ?? domain.text('id') ?? '';
  throw unauthorized(`getTokenV3: domain "${name}": [auth] user not in project`);
}

function findProject(wanted: Reader, projects: readonly Project[]): Project {
  const [id, domain] = [wanted.text('id'), wanted.at('domain')];
  const found = projects.find((project) =>
    id === undefined
      ? project.name === wanted.text('name') && isNamed(domain) && matches(project.domain, domain)
      : project.id === id,
  );
  if (found !== undefined) return found;
  const step = domains.some((known) => matches(known, domain)) ? 'q.First' : 'DomainManager.FetchDomain';
  throw unauthorized(`ProjectManager.FetchProject: ${step}: sql: no rows in result set`);
}

function isNamed(wanted: Reader): boolean {
  return (wanted.text('id') ?? wanted.text('name')) !== undefined;
}

/** A part that is not given matches anything. */
function matches(known: { id: string; name: string }, wanted: Reader): boolean {
  return (wanted.text('id') ?? known.id) === known.id && (wanted.text('name') ?? known.name) === known.name;
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

/** Reads what a path of keys leads to. */
interface Reader {
  at(path: string): Reader;
  value(path: string): unknown;
  text(path: string): string | undefined;
}

function readerOf(root: unknown): Reader {
  const value = (path: string): unknown =>
    path.split('.').reduce((inner: unknown, key) => {
      if (inner === undefined || isObject(inner)) return inner?.[key] ?? undefined;
      throw undecodable();
    }, root);
  return {
    value,
    at: (path) => readerOf(value(path)),
    text(path) {
      const found = value(path) ?? '';
      if (typeof found !== 'string') throw undecodable();
      return found === '' ? undefined : found;
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Keys are read in any case. */
function readBody(contentType: string | undefined, text: string): Reader {
  if (!/^application\/json *(;.*)?$/i.test(contentType ?? '')) throw undecodable();
  const body = parse(text);
  if (!('auth' in body)) throw undecodable();
  return readerOf(withSmallKeys(body));
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
