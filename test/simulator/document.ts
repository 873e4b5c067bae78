import { randomUUID } from 'node:crypto';
import type { Answer } from '../../src/simulator/answer.ts';
import type { Call, Core } from '../../src/simulator/api.ts';
import { exporterAccount } from '../../src/simulator/accounts.ts';
import { timestamp } from '../../src/simulator/answer.ts';
import { fieldTypes } from './document-tables.ts';

type Json = Record<string, unknown>;
type Answerer = (call: Call) => Promise<Answer>;

const serverFields = fieldTypes('Server\n', { names: 1, type: 0 });
const nested: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  disks_info: fieldTypes('Disk object', { names: 0, type: 1 }),
  isolated_devices: fieldTypes('Isolated device object', { names: 0, type: 1 }),
  nics: fieldTypes('NIC object', { names: 0, type: 1 }),
  secgroups: fieldTypes('Security group object', { names: 0, type: 1 }),
};

/**
 * The platform as its document has it, to the letter, around the platform as it is: every field is there in the
 * document's spelling, 201 and 401 are said, and there is nothing that the document does not know. What it does not
 * say of queries is taken strictly: readable values only, and other parameters are not heard.
 */
export function speakAsDocumented({ tokens, now }: Core, answer: Answerer): Answerer {
  return async (call) => {
    const answered = await translate(call);
    if (answered.status >= 400) return answered;
    const charset = call.method === 'POST' ? '' : '; charset=UTF-8';
    const { Vary: _platform, ...headers } = answered.headers;
    return {
      ...answered,
      headers: { ...headers, 'Content-Type': `application/json${charset}`, ...extra(call) },
    };
  };

  async function translate(call: Call): Promise<Answer> {
    if (call.path.startsWith('/identity')) return login(call);
    const [, , resource, id] = call.path.split('/');
    if (resource !== 'servers') return refuse(404, 'NotFoundError', `${call.path} not found`);
    if (call.method !== 'GET') return answer(call);
    if (!isJson(call)) return refuse(400, 'InputParameterError', 'fail to decode request body');
    const { state } = tokens.inspect(call.token);
    if (state !== 'live' && state !== 'unscoped')
      return refuse(401, 'UnauthorizedError', `unauthorized: token "${call.token ?? ''}" is not valid`);
    return id === undefined ? list(call) : show(call);
  }

  async function login(call: Call): Promise<Answer> {
    const body = parse(call.body);
    if (call.method === 'POST' && Object.keys(body).some((key) => key !== 'auth'))
      return refuse(400, 'InputParameterError', 'fail to decode request body');
    const user = at(body, 'auth', 'identity', 'password', 'user');
    if (user !== undefined) delete user['domain'];
    const answered = await answer({ ...call, body: user === undefined ? call.body : JSON.stringify(body) });
    if (answered.status === 200)
      return { ...answered, status: 201, body: encode(tokenOf(parse(answered.body))) };
    const isRefused = [403, 404, 423].includes(answered.status) && call.method === 'POST';
    return isRefused ? refuse(401, 'UnauthorizedError', 'unauthorized') : answered;
  }

  async function list(call: Call): Promise<Answer> {
    for (const [name, value] of call.query) {
      const readable = {
        limit: /^\d+$/,
        offset: /^\d+$/,
        details: /^(true|false)$/,
        with_meta: /^(true|false)$/,
      }[name];
      if (readable?.test(value) === false)
        return refuse(400, 'InputParameterError', `invalid ${name}: ${value}`);
    }
    const [details, limit, offset] = ['details', 'limit', 'offset'].map((name) => call.query.get(name));
    const query = new URLSearchParams({
      scope: 'system',
      pending_delete: 'all',
      system: 'true',
      show_emulated: 'true',
    });
    for (const [name, value] of Object.entries({ details, limit, offset })) if (value) query.set(name, value);
    const answered = await answer({ ...call, query });
    if (answered.status !== 200) return answered;
    const { servers, ...page } = parse(answered.body);
    const view = { details: details !== 'false', metadata: call.query.get('with_meta') === 'true' };
    const told = (servers as Json[]).map((server) => serverOf(server, view));
    const numbers = { limit: Number(limit) || 2048, offset: Number(offset ?? 0), total: 0, ...page };
    const { limit: taken, offset: from, total } = numbers;
    return { ...answered, body: encode({ limit: taken, offset: from, servers: told, total }) };
  }

  async function show(call: Call): Promise<Answer> {
    const answered = await answer(call);
    if (answered.status !== 200) return answered;
    const server = serverOf(parse(answered.body)['server'] as Json, { details: true, metadata: true });
    return { ...answered, body: encode({ server }) };
  }

  function refuse(status: number, className: string, details: string): Answer {
    const time = new Date(now()).toISOString();
    const headers = { 'Content-Type': 'application/json', ...(status === 400 && { Location: details }) };
    return { status, headers, body: encode({ class: className, code: status, details, time }) };
  }

  /** Each field of the document's table for a token, with what the platform has for it. */
  function tokenOf(body: Json): Json {
    const { access_key, policies, project, projects, roles, catalog, role_assignments, user, ...token } =
      body['token'] as Record<string, Json>;
    const named = ({ domain, id, name }: Json = {}) => ({
      Domain: domain ?? noDomain,
      Id: id ?? '',
      Name: name ?? '',
    });
    const party = ({ domain, id, name }: Json = {}) => ({
      domain: domain ?? noDomain,
      id: id ?? '',
      name: name ?? '',
    });
    const scopes = ({ domain, project: ofProject, system }: Json = {}) =>
      [domain ?? [], ofProject ?? [], system ?? []] as const;
    const [domainPolicies, projectPolicies, systemPolicies] = scopes(policies);
    const { audit_ids: _audits, ...rest } = token as Json;
    return {
      token: {
        ...rest,
        access_key: {
          AccessKey: access_key?.['access_key'] ?? '',
          expire: 0,
          secret: access_key?.['secret'] ?? '',
        },
        catalog: catalog ?? [],
        policies: { Domain: domainPolicies, Project: projectPolicies, System: systemPolicies },
        project: named(project),
        projects: ((projects ?? [project ?? {}]) as Json[]).map(named),
        role_assignments: (
          (role_assignments ?? [{ policies, role: user, scope: { project }, user }]) as Json[]
        ).map((one) => {
          const [domain, ofProject, system] = scopes(one['policies'] as Json);
          const target = at(one, 'scope', 'project');
          return {
            group: party(),
            policies: { domain, project: ofProject, system },
            role: party(one['role'] as Json),
            scope: { domain: (target?.['domain'] as Json) ?? noDomain, project: party(target) },
            user: party(one['user'] as Json),
          };
        }),
        roles: roles ?? [],
        user: {
          ...named(user),
          Displayname: 'Simulated exporter',
          Email: `${exporterAccount.name}@example.test`,
          Mobile: '13800000000',
          PasswordExpiresAt: user?.['password_expires_at'] ?? timestamp(now() + 90 * 86_400_000),
        },
      },
    };
  }
}

const noDomain = { id: '', name: '' };

function extra({ method }: Call): Record<string, string> {
  return method === 'POST' ? { Vary: 'X-Auth-Token', 'x-platform-request-id': `req-${randomUUID()}` } : {};
}

/** Every field of the document, '' or null or nothing where the platform leaves it out; without details only what it sent. */
function serverOf(server: Json, { details, metadata }: { details: boolean; metadata: boolean }): Json {
  const fields = [...serverFields].filter(([name]) => name !== 'metadata' || metadata);
  const sent = details ? fields : fields.filter(([name]) => name in server);
  return Object.fromEntries(
    sent.map(([name, type]) => {
      const types = nested[name];
      const value = name === 'project_id' ? server['tenant_id'] : server[name];
      if (types === undefined) return [name, value ?? emptyOf(type)];
      return [name, ((value ?? []) as Json[]).map((element) => elementOf(element, types))];
    }),
  );
}

function elementOf(element: Json, types: ReadonlyMap<string, string>): Json {
  return Object.fromEntries([...types].map(([name, type]) => [name, element[name] ?? emptyOf(type)]));
}

function emptyOf(type: string): unknown {
  if (type === 'string') return '';
  if (type === 'integer') return 0;
  if (type === 'boolean') return false;
  if (type === 'timestamp') return null;
  return type.startsWith('array') ? [] : {};
}

function isJson({ headers }: Call): boolean {
  return /^application\/json *(;.*)?$/i.test(headers['content-type'] ?? '');
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
