import { randomUUID } from 'node:crypto';
import { accessKey, accounts, exporterAccount, hasRole, systemProject, type Account } from '../accounts.ts';
import { Refusal, succeed, type Answer } from '../answer.ts';
import { domains } from '../fleet/catalogue.ts';
import type { Project } from '../fleet/landscape.ts';
import { readSignedLogin, verifySignature } from './signature.ts';
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

export function createIdentity({
  tokens,
  projects,
  addresses,
  passwordExpiresAtMs,
  lockAfter,
}: IdentityParts): Identity {
  const tickets = new Set<string>();
  const failures = new Map<string, number>();
  let exporterPassword = exporterAccount.password;

  function byPassword(identity: Section): Account {
    const user = section(section(identity, 'password'), 'user');
    const account = findUser(user);
    const failed = failures.get(account.id) ?? 0;
    if (account.disabled === true || failed === lockAfter) throw new Refusal(423, 'UserLocked', 'UserLocked');
    const password = account === exporterAccount ? exporterPassword : account.password;
    failures.set(account.id, textOf(user, 'password') === password ? 0 : failed + 1);
    if (textOf(user, 'password') === password) return account;
    throw failed + 1 === lockAfter
      ? new Refusal(429, 'TooManyFailedAttempts', 'Authenticate: user locked: TooManyFailedAttempts')
      : new Refusal(401, 'WrongPassword', 'Authenticate: usrExt.VerifyPassword: WrongPassword');
  }

  function byToken(identity: Section): Account {
    const id = textOf(section(identity, 'token'), 'id');
    const { state, token } = tokens.inspect(id);
    if (token !== undefined && (state === 'live' || state === 'unscoped')) return token.account;
    throw unauthorized(`authUserByTokenV3: token "${id}" not found: [auth] token not found`);
  }

  function byTicket(identity: Section): Account {
    const ticket = textOf(section(identity, 'cas_ticket'), 'id') ?? '';
    if (tickets.delete(ticket)) return exporterAccount;
    throw unauthorized(`authUserByCASV3: ticket "${ticket}" not recognized`);
  }

  /** Whatever else it is called, it is a password. */
  const ways: Readonly<Record<string, (identity: Section) => Account>> = {
    token: byToken,
    aksk: byAccessKey,
    cas: byTicket,
  };

  return {
    login({ contentType, body, peer }) {
      const auth = section(readBody(contentType, body), 'auth');
      const identity = section(auth, 'identity');
      const { methods } = identity;
      const [method] = Array.isArray(methods) && methods.length === 1 ? (methods as unknown[]) : [];
      if (typeof method !== 'string') throw unauthorized('[auth] invalid auth methods');
      const account = (ways[method] ?? byPassword)(identity);
      const asked = method === 'aksk' ? { project: systemProject } : section(auth, 'scope');
      const token = tokens.issue(account, chooseScope(asked, account, projects()));
      const context = section(auth, 'context');
      const answered = tokenBody({
        method,
        token,
        projects: projects(),
        addresses: addresses(),
        turn: tokens.issued.length,
        context: { ip: textOf(context, 'ip') ?? peer, source: textOf(context, 'source') ?? 'api' },
        passwordExpiresAtMs,
        ...(method === 'aksk' && { accessKey }),
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

function byAccessKey(identity: Section): Account {
  const signed = readSignedLogin(textOf(identity, 'access_key_secret') ?? '');
  if (signed?.accessKey === accessKey.id && verifySignature(signed, accessKey.secret)) return exporterAccount;
  throw unauthorized('authUserByAccessKeyV3: Verify: signature mismatch');
}

/** A name without its domain is enough where only one domain has it. */
function findUser(user: Section): Account {
  const wanted = section(user, 'domain');
  const [id, name] = [textOf(user, 'id'), textOf(user, 'name')];
  if (id === undefined && isNamed(wanted) && !domains.some((domain) => matches(domain, wanted)))
    throw new Refusal(404, 'UserNotFound', `domain ${textOf(wanted, 'name')}: UserNotFound`);
  const found = accounts.filter((account) =>
    id === undefined ? account.name === name && matches(account.domain, wanted) : account.id === id,
  );
  if (found.length > 1) throw new Refusal(409, 'ConflictError', 'duplicate username');
  if (found[0] !== undefined) return found[0];
  throw new Refusal(404, 'UserNotFound', isNamed(wanted) ? 'idp: UserNotFound' : 'UserNotFound');
}

/** A project wins over a domain; nothing asked is nothing given. */
function chooseScope(asked: Section, account: Account, projects: readonly Project[]): Scope {
  const [project, domain] = [section(asked, 'project'), section(asked, 'domain')];
  if (isNamed(project)) {
    const found = findProject(project, projects);
    if (hasRole(account, found)) return { project: found };
    throw unauthorized(`getTokenV3: project "${found.name}": [auth] user not in project`);
  }
  if (!('domain' in asked)) return {};
  const found = domains.find((known) => isNamed(domain) && matches(known, domain));
  const isOwn = account.rights === 'domain' && found?.id === account.domain.id;
  if (found !== undefined && (account.rights === 'system' || isOwn)) return { domain: found };
  const name = textOf(domain, 'name') ?? textOf(domain, 'id') ?? '';
  throw unauthorized(`getTokenV3: domain "${name}": [auth] user not in project`);
}

function findProject(wanted: Section, projects: readonly Project[]): Project {
  const [id, name] = [textOf(wanted, 'id'), textOf(wanted, 'name')];
  const ofDomain = section(wanted, 'domain');
  const found = projects.find((project) =>
    id === undefined
      ? project.name === name && isNamed(ofDomain) && matches(project.domain, ofDomain)
      : project.id === id,
  );
  if (found !== undefined) return found;
  const isDomain = domains.some((known) => matches(known, ofDomain));
  const step = isDomain ? 'q.First' : 'DomainManager.FetchDomain';
  throw unauthorized(`ProjectManager.FetchProject: ${step}: sql: no rows in result set`);
}

type Section = Readonly<Record<string, unknown>>;

function unauthorized(details: string): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized ${details}`);
}

/** Keys are read in any case. */
function readBody(contentType: string | undefined, text: string): Section {
  if (!/^application\/json *(;.*)?$/i.test(contentType ?? '')) throw undecodable();
  try {
    const body: unknown = JSON.parse(text);
    if (isSection(body) && 'auth' in body) return withSmallKeys(body);
  } catch {
    throw undecodable();
  }
  throw undecodable();
}

function undecodable(): Refusal {
  return new Refusal(400, 'InputParameterError', 'fail to decode request body');
}

function section(within: Section, key: string): Section {
  const value = within[key] ?? {};
  if (!isSection(value)) throw undecodable();
  return value;
}

function textOf(within: Section, key: string): string | undefined {
  const value = within[key] ?? '';
  if (typeof value !== 'string') throw undecodable();
  return value === '' ? undefined : value;
}

function isNamed(wanted: Section): boolean {
  return (textOf(wanted, 'id') ?? textOf(wanted, 'name')) !== undefined;
}

/** A part that is not given matches anything. */
function matches(known: { id: string; name: string }, wanted: Section): boolean {
  const [id = known.id, name = known.name] = [textOf(wanted, 'id'), textOf(wanted, 'name')];
  return id === known.id && name === known.name;
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withSmallKeys(value: Section): Section {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.toLowerCase(),
      isSection(inner) ? withSmallKeys(inner) : inner,
    ]),
  );
}
