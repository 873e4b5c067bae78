import { Refusal, requireJsonContentType, unauthorized, type Dialect } from '../answer.ts';

export interface Reference {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface LoginRequest {
  readonly method: Method;
  readonly user: Reference & { readonly domain: Reference; readonly password: string | undefined };
  readonly tokenId: string | undefined;
  readonly ticketId: string | undefined;
  readonly accessKeySecret: string | undefined;
  readonly project: (Reference & { readonly domain: Reference }) | undefined;
  readonly domain: Reference | undefined;
  readonly source: string | undefined;
  readonly ip: string | undefined;
}

const methods = ['password', 'token', 'aksk', 'cas'] as const;

export type Method = (typeof methods)[number];

export function readLogin(contentType: string | undefined, text: string, dialect: Dialect): LoginRequest {
  requireJsonContentType(contentType);
  const body = parse(text);
  if (dialect === 'document' && Object.keys(body).some((key) => key !== 'auth')) throw undecodable();
  /** The running platform reads keys in any case; the document has `Domain` in the user and small keys elsewhere. */
  const auth = section(dialect === 'platform' ? withSmallKeys(body) : body, 'auth');
  if (auth === undefined) throw undecodable();

  const identity = section(auth, 'identity') ?? {};
  const user = section(section(identity, 'password') ?? {}, 'user') ?? {};
  const scope = section(auth, 'scope') ?? {};
  const project = section(scope, 'project');
  const domain = section(scope, 'domain');
  const context = section(auth, 'context') ?? {};
  return {
    method: onlyMethod(identity['methods']),
    user: {
      ...reference(user),
      domain: reference(section(user, dialect === 'document' ? 'Domain' : 'domain') ?? {}),
      password: textOf(user, 'password'),
    },
    tokenId: textOf(section(identity, 'token') ?? {}, 'id'),
    ticketId: textOf(section(identity, 'cas_ticket') ?? {}, 'id'),
    accessKeySecret: textOf(identity, 'access_key_secret'),
    project: project && { ...reference(project), domain: reference(section(project, 'domain') ?? {}) },
    domain: domain && reference(domain),
    source: textOf(context, 'source'),
    ip: textOf(context, 'ip'),
  };
}

export function isNamed(wanted: Reference): boolean {
  return wanted.id !== undefined || wanted.name !== undefined;
}

/** A part that is not given matches anything. */
export function matches(known: { id: string; name: string }, wanted: Reference): boolean {
  return (wanted.id ?? known.id) === known.id && (wanted.name ?? known.name) === known.name;
}

type Section = Readonly<Record<string, unknown>>;

function onlyMethod(names: unknown): Method {
  const [name] = Array.isArray(names) && names.length === 1 ? (names as unknown[]) : [];
  const method = methods.find((known) => known === name);
  if (method !== undefined) return method;
  throw unauthorized('[auth] invalid auth methods');
}

function parse(text: string): Section {
  try {
    const body: unknown = JSON.parse(text);
    if (isSection(body)) return body;
  } catch {
    throw undecodable();
  }
  throw undecodable();
}

function undecodable(): Refusal {
  return new Refusal(400, 'InputParameterError', 'fail to decode request body');
}

function section(within: Section, key: string): Section | undefined {
  const value = within[key];
  if (value === undefined || value === null) return undefined;
  if (!isSection(value)) throw undecodable();
  return value;
}

function textOf(within: Section, key: string): string | undefined {
  const value = within[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw undecodable();
  return value;
}

function reference(within: Section): Reference {
  return { id: textOf(within, 'id'), name: textOf(within, 'name') };
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
