import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { answerRefusal, dayMs, Refusal, timestamp, type Answer } from '../../src/simulator/answer.ts';
import type { Answerer, Call, Core } from '../../src/simulator/api.ts';

type Json = Record<string, unknown>;
type Types = ReadonlyMap<string, string>;

const everything = { scope: 'system', pending_delete: 'all', system: 'true', show_emulated: 'true' };
const readable: Readonly<Record<string, RegExp>> = {
  limit: /^\d+$/,
  offset: /^\d+$/,
  details: /^(true|false)$/,
  with_meta: /^(true|false)$/,
};

/**
 * The platform as its document has it, to the letter, around the platform as it is: every field is there in the
 * document's spelling, 201 and 401 are said, and there is nothing that the document does not know. What it leaves open
 * is taken strictly: values must be readable, and other parameters are not heard.
 */
export function speakAsDocumented({ tokens, now }: Core): (answer: Answerer) => Answerer {
  const server = serverTypes();
  const elements = Object.entries(elementTypes());

  /** Every field of the document, empty where the platform leaves it out; without details only what it sent. */
  function serverOf(sent: Json, { details, metadata }: { details: boolean; metadata: boolean }): Json {
    const record: Json = { ...sent, ...(details && { project_id: sent['tenant_id'] }) };
    for (const [field, types] of elements) {
      const list = record[field] as readonly Json[] | undefined;
      if (list !== undefined) record[field] = list.map((element) => withEmpties(element, types));
    }
    const fields = [...server].filter(([name]) => (details ? metadata || name !== 'metadata' : name in sent));
    return withEmpties(record, new Map(fields));
  }

  async function login(call: Call, answer: Answerer): Promise<Answer> {
    const body = parse(call.body);
    if (Object.keys(body).some((key) => key !== 'auth')) return refuse(400, unreadable);
    const user = at(body, 'auth', 'identity', 'password', 'user');
    // The document writes `Domain` here.
    if (user !== undefined) delete user['domain'];
    const answered = await answer({ ...call, body: user === undefined ? call.body : JSON.stringify(body) });
    if ([404, 423].includes(answered.status)) return refuse(401, 'unauthorized');
    if (answered.status !== 200) return answered;
    const documented = { 'Content-Type': 'application/json', Vary: 'X-Auth-Token' };
    const headers = { ...answered.headers, ...documented, 'x-platform-request-id': `req-${randomUUID()}` };
    const token = tokenOf(at(parse(answered.body), 'token')!, timestamp(now() + 90 * dayMs));
    return { status: 201, headers, body: encode({ token }) };
  }

  async function list(call: Call, answer: Answerer): Promise<Answer> {
    for (const [name, value] of call.query)
      if (readable[name]?.test(value) === false) return refuse(400, `invalid ${name}: ${value}`);
    const query = new URLSearchParams(everything);
    for (const name of ['details', 'limit', 'offset'])
      if (call.query.has(name)) query.set(name, call.query.get(name)!);
    const view = {
      details: query.get('details') !== 'false',
      metadata: call.query.get('with_meta') === 'true',
    };
    return told(await answer({ ...call, query }), (page) => {
      const servers = (page['servers'] as Json[]).map((one) => serverOf(one, view));
      const { limit = Number(query.get('limit') ?? 2048), offset = 0, total = 0 } = page;
      return { limit, offset, servers, total };
    });
  }

  async function show(call: Call, answer: Answerer): Promise<Answer> {
    const view = { details: true, metadata: true };
    return told(await answer(call), ({ server: shown }) => ({ server: serverOf(shown as Json, view) }));
  }

  function told(answered: Answer, change: (body: Json) => Json): Answer {
    if (answered.status !== 200) return answered;
    const headers = { 'Content-Type': 'application/json; charset=UTF-8' };
    return { status: 200, headers, body: encode(change(parse(answered.body))) };
  }

  function refuse(status: keyof typeof classes, details: string): Answer {
    return answerRefusal(new Refusal(status, classes[status], details), now());
  }

  return (answer) => async (call) => {
    if (call.path.startsWith('/identity')) return call.method === 'POST' ? login(call, answer) : answer(call);
    const [, , resource, id] = call.path.split('/');
    if (resource !== 'servers') return refuse(404, `${call.path} not found`);
    if (call.method !== 'GET') return answer(call);
    const isJson = /^application\/json *(;.*)?$/i.test(call.headers['content-type'] ?? '');
    if (!isJson) return refuse(400, unreadable);
    const { state } = tokens.inspect(call.token);
    if (state !== 'live' && state !== 'unscoped')
      return refuse(401, `unauthorized: token "${call.token ?? ''}" is not valid`);
    return id === undefined ? list(call, answer) : show(call, answer);
  };
}

const unreadable = 'fail to decode request body';
const classes = { 400: 'InputParameterError', 401: 'UnauthorizedError', 404: 'NotFoundError' } as const;
const noDomain = { id: '', name: '' };

/** Each field of the document's table, with what the platform has for it. */
function tokenOf({ audit_ids: _audits, ...token }: Json, passwordEnds: string): Json {
  const {
    access_key: key,
    catalog = [],
    policies,
    project,
    roles = [],
    user,
  } = token as Record<string, Json>;
  const own = { policies, role: user, scope: { project }, user };
  const assignments = (token['role_assignments'] ?? [own]) as Json[];
  const [Domain, Project, System] = Object.values(policiesOf(policies));
  return {
    ...token,
    access_key: { AccessKey: key?.['access_key'] ?? '', expire: 0, secret: key?.['secret'] ?? '' },
    catalog,
    policies: { Domain, Project, System },
    project: capital(project),
    projects: ((token['projects'] ?? [project]) as Json[]).map(capital),
    role_assignments: assignments.map((one) => ({
      group: party(),
      policies: policiesOf(one['policies'] as Json),
      role: party(one['role'] as Json),
      scope: {
        domain: at(one, 'scope', 'project', 'domain') ?? noDomain,
        project: party(at(one, 'scope', 'project')),
      },
      user: party(one['user'] as Json),
    })),
    roles,
    user: {
      ...capital(user),
      Displayname: 'Simulated exporter',
      Email: 'exporter@example.test',
      Mobile: '13800000000',
      PasswordExpiresAt: user?.['password_expires_at'] ?? passwordEnds,
    },
  };
}

function capital({ domain = noDomain, id = '', name = '' }: Json = {}): Json {
  return { Domain: domain, Id: id, Name: name };
}

function party({ domain = noDomain, id = '', name = '' }: Json = {}): Json {
  return { domain, id, name };
}

function policiesOf({ domain = [], project = [], system = [] }: Json = {}): Json {
  return { domain, project, system };
}

function withEmpties(record: Json, types: Types): Json {
  return Object.fromEntries([...types].map(([name, type]) => [name, record[name] ?? emptyOf(type)]));
}

function emptyOf(type: string): unknown {
  const empties: Json = { string: '', integer: 0, boolean: false, timestamp: null };
  if (type in empties) return empties[type];
  return type.startsWith('array') ? [] : {};
}

function parse(text: string | Buffer): Json {
  try {
    return { ...(JSON.parse(text.toString()) as Json) };
  } catch {
    return {};
  }
}

function at(value: Json, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => inner?.[key] as Json | undefined, value);
}

function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The rows of the first table under a heading of the platform's document, cells trimmed. */
export function tableUnder(heading: string): string[][] {
  const text = readFileSync(new URL('../fixtures/platform-api.md', import.meta.url), 'utf8');
  const section = text.split(/^#+ /m).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`the document has no section ${heading}`);
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .slice(2)
    .map((line) => line.slice(1, -1).split('|'))
    .map((row) => row.map((cell) => cell.trim()));
}

/** Field name to documented type, of a server and of the objects within it; a row may have several names. */
function typesOf(rows: readonly (readonly [names: string, type: string])[]): Types {
  return new Map(rows.flatMap(([names, type]) => names.split(', ').map((name) => [name, type] as const)));
}

export function serverTypes(): Types {
  return typesOf(tableUnder('Server\n').map(([type = '', names = '']) => [names, type]));
}

export function elementTypes() {
  const of = (what: string) =>
    typesOf(tableUnder(`${what} object`).map(([names = '', type = '']) => [names, type]));
  const [disks_info, isolated_devices] = [of('Disk'), of('Isolated device')];
  return { disks_info, isolated_devices, nics: of('NIC'), secgroups: of('Security group') };
}
