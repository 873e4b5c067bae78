import { randomUUID } from 'node:crypto';
import { answerRefusal, dayMs, Refusal, timestamp, type Answer } from '../../src/simulator/answer.ts';
import type { Answerer, Call, Core } from '../../src/simulator/api.ts';
import { parse } from '../../src/simulator/login.ts';
import { elementTypes, serverTypes, type Types } from './document-tables.ts';

type Json = Record<string, unknown>;

const everything = { scope: 'system', pending_delete: 'all', system: 'true', show_emulated: 'true' };
const [number, flag] = [/^\d+$/, /^(true|false)$/];
const readable: Readonly<Record<string, RegExp>> = {
  limit: number,
  offset: number,
  details: flag,
  with_meta: flag,
};
const unreadable = 'fail to decode request body';
const classes = { 400: 'InputParameterError', 401: 'UnauthorizedError', 404: 'NotFoundError' } as const;

/**
 * The platform as its document has it, to the letter, around the platform as it is: every field is there in the
 * document's spelling, 201 and 401 are said, and there is nothing that the document does not know. What it leaves open
 * is taken strictly: values must be readable, and other parameters are not heard.
 */
export function speakAsDocumented({ tokens, now }: Core): (answer: Answerer) => Answerer {
  const server = serverTypes();
  const elements = Object.entries(elementTypes());

  /** Every field of the document, empty where the platform leaves it out; without details only what it sent. */
  function serverOf(sent: Json, isTold: (field: string) => boolean): Json {
    const record: Json = { project_id: sent['tenant_id'], ...sent };
    for (const [field, types] of elements) {
      const list = record[field] as readonly Json[] | undefined;
      if (list !== undefined) record[field] = list.map((element) => withEmpties(element, types));
    }
    return withEmpties(record, new Map([...server].filter(([field]) => isTold(field))));
  }

  async function login(call: Call, answer: Answerer): Promise<Answer> {
    const body = parse(call.body);
    if (Object.keys(body).some((key) => key !== 'auth')) return refuse(400, unreadable);
    const { auth } = body as { auth?: { identity?: { password?: { user?: Json } } } };
    // The document writes `Domain` here.
    delete auth?.identity?.password?.user?.['domain'];
    const answered = await answer({ ...call, body: JSON.stringify(body) });
    if ([404, 423].includes(answered.status)) return refuse(401, 'unauthorized');
    const documented = { 'Content-Type': 'application/json', Vary: 'X-Auth-Token' };
    const headers = { ...answered.headers, ...documented, 'x-platform-request-id': `req-${randomUUID()}` };
    const tell = ({ token }: Json) => ({ token: tokenOf(token as Json, timestamp(now() + 90 * dayMs)) });
    return { ...told(answered, tell), ...(answered.status === 200 && { status: 201, headers }) };
  }

  async function list(call: Call, answer: Answerer): Promise<Answer> {
    const query = new URLSearchParams(everything);
    for (const [name, value] of call.query) {
      if (readable[name]?.test(value) === false) return refuse(400, `invalid ${name}: ${value}`);
      if (name in readable) query.set(name, value);
    }
    const isDetailed = query.get('details') !== 'false';
    const hasMetadata = query.get('with_meta') === 'true';
    return told(await answer({ ...call, query }), (page) => {
      const { limit = Number(query.get('limit') ?? 2048), offset = 0, total = 0 } = page;
      const servers = (page['servers'] as Json[]).map((sent) =>
        serverOf(sent, (field) => (isDetailed ? hasMetadata || field !== 'metadata' : field in sent)),
      );
      return { limit, offset, servers, total };
    });
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
    if (id === undefined) return list(call, answer);
    return told(await answer(call), (shown) => ({ server: serverOf(shown['server'] as Json, () => true) }));
  };
}

function told(answered: Answer, change: (body: Json) => Json): Answer {
  if (answered.status !== 200) return answered;
  const body = Buffer.from(JSON.stringify(change(parse(answered.body.toString()))));
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=UTF-8' }, body };
}

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
  const own = party(project);
  const projects = ((token['projects'] ?? [project]) as Json[]).map((one) => capital(party(one)));
  const scope = { domain: own['domain'], project: own };
  const parties = { group: party(), role: party(user), scope, user: party(user) };
  return {
    ...token,
    access_key: { AccessKey: key?.['access_key'] ?? '', expire: 0, secret: key?.['secret'] ?? '' },
    catalog,
    policies: capital(policiesOf(policies)),
    project: capital(own),
    projects,
    role_assignments: [{ ...parties, policies: policiesOf(policies) }],
    roles,
    user: {
      ...capital(party(user)),
      Displayname: 'Simulated exporter',
      Email: 'exporter@example.test',
      Mobile: '13800000000',
      PasswordExpiresAt: user?.['password_expires_at'] ?? passwordEnds,
    },
  };
}

function party({ domain = { id: '', name: '' }, id = '', name = '' }: Json = {}): Json {
  return { domain, id, name };
}

function policiesOf({ domain = [], project = [], system = [] }: Json = {}): Json {
  return { domain, project, system };
}

function capital(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key[0]!.toUpperCase() + key.slice(1), inner]),
  );
}

const empties: Json = { string: '', integer: 0, boolean: false, timestamp: null };

function withEmpties(record: Json, types: Types): Json {
  const emptyOf = (type: string) => (type in empties ? empties[type] : type.startsWith('array') ? [] : {});
  return Object.fromEntries([...types].map(([name, type]) => [name, record[name] ?? emptyOf(type)]));
}
