import { answerRefusal, Refusal, type Answer } from '../../src/simulator/answer.ts';
import type { Answerer, Call, Core } from '../../src/simulator/api.ts';
import { parse } from '../../src/simulator/login.ts';
import { elementTypes, serverTypes, type Types } from './document-tables.ts';

type Json = Record<string, unknown>;

const everything = { scope: 'system', pending_delete: 'all', system: 'true', show_emulated: 'true' };
const heard = new Set(['limit', 'offset', 'details', 'with_meta']);
const classes = { 400: 'InputParameterError', 401: 'UnauthorizedError', 404: 'NotFoundError' } as const;

/**
 * The platform as its document has it, to the letter, around the platform as it is: every field is there in the
 * document's spelling, 201 and 401 are said, there is nothing that the document does not know, and other parameters are
 * not heard.
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
    const { auth } = parse(call.body) as { auth?: { identity?: { password?: { user?: Json } } } };
    // The document writes `Domain` here.
    delete auth?.identity?.password?.user?.['domain'];
    const answered = await answer({ ...call, body: JSON.stringify({ auth }) });
    if ([404, 423].includes(answered.status)) return refuse(401, 'unauthorized');
    if (answered.status !== 200) return answered;
    const { headers } = answered;
    return { ...told(answered, ({ token }) => ({ token: tokenOf(token as Json) })), status: 201, headers };
  }

  async function list(call: Call, answer: Answerer): Promise<Answer> {
    const query = new URLSearchParams(everything);
    for (const [name, value] of call.query) if (heard.has(name)) query.set(name, value);
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
    if (!/^\/compute\/servers$/.test(call.path)) return refuse(404, `${call.path} not found`);
    if (call.method !== 'GET') return answer(call);
    const isJson = /^application\/json *(;.*)?$/i.test(call.headers['content-type'] ?? '');
    if (!isJson) return refuse(400, 'fail to decode request body');
    const { state } = tokens.inspect(call.token);
    if (state !== 'live' && state !== 'unscoped')
      return refuse(401, `unauthorized: token "${call.token ?? ''}" is not valid`);
    return list(call, answer);
  };
}

function told(answered: Answer, change: (body: Json) => Json): Answer {
  if (answered.status !== 200) return answered;
  const body = Buffer.from(JSON.stringify(change(parse(answered.body.toString()))));
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=UTF-8' }, body };
}

/** As its tables spell it, such as `PasswordExpiresAt`; the rest is as the platform has it. */
function tokenOf({ policies, project, user, ...token }: Json): Json {
  return { ...token, policies: capital(policies), project: capital(project), user: capital(user) };
}

function capital(value: unknown): Json {
  const spelt = (key: string) => key.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([key, inner]) => [spelt(key), inner as unknown]),
  );
}

const empties: Json = { string: '', integer: 0, boolean: false, timestamp: null };

function withEmpties(record: Json, types: Types): Json {
  const emptyOf = (type: string) => (type in empties ? empties[type] : type.startsWith('array') ? [] : {});
  return Object.fromEntries([...types].map(([name, type]) => [name, record[name] ?? emptyOf(type)]));
}
