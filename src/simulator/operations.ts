import { Refusal, requireJsonContentType, requireMethod, type Answer, type Dialect } from './answer.ts';
import type { Call, Operate } from './exchange.ts';
import type { Hosts } from './hosts/hosts.ts';
import type { Identity } from './identity/identity.ts';
import { notEnoughPrivilege, readScope, type Privilege } from './privilege.ts';
import type { Hooks } from './quirks.ts';
import type { Release } from './release.ts';
import type { Servers } from './servers/servers.ts';
import type { IssuedToken, Tokens } from './identity/tokens.ts';
import type { Entry } from './work/ledger.ts';
import type { Job } from './work/workers.ts';

export interface OperationParts {
  readonly dialect: Dialect;
  readonly release: Release;
  readonly identity: Identity;
  readonly servers: Servers;
  /** Undefined where the platform has no such path. */
  readonly hosts: Hosts | undefined;
  readonly tokens: Tokens;
  readonly hooks: Hooks;
  readonly work: (job: Job) => Promise<Answer>;
  readonly enter: (entry: Entry) => void;
}

type Resource = Privilege['resource'];

export function createOperations(parts: OperationParts) {
  const { dialect, release, identity, servers, hosts, tokens, hooks, work, enter } = parts;

  function admit({ arrival, parameters }: Call, resource: Resource = 'servers'): IssuedToken {
    requireMethod(arrival.method, 'GET');
    if (dialect === 'document') requireJsonContentType(arrival.headers['content-type']);
    const { state, token } = tokens.inspect(arrival.tokenSent);
    if (state === 'live' && token !== undefined) return token;
    throw dialect === 'document' && state !== 'unscoped'
      ? unknownToken(arrival.tokenSent)
      : refuseGuest({ resource, asked: parameters.get('scope'), release }, arrival.tokenSent);
  }

  const login: Operate = async ({ arrival, peer, isAbandoned }) => {
    requireMethod(arrival.method, 'POST');
    await hooks.beforeLogin?.();
    const contentType = arrival.headers['content-type'];
    const answer = identity.login({ contentType, body: arrival.body, peer });
    const bytes = answer.body.length;
    enter({ kind: 'login', rows: 0, milliseconds: 0, bytes, abandoned: isAbandoned() });
    return answer;
  };

  const list: Operate = (call) => {
    const request = { query: call.parameters, token: admit(call), hooks };
    return work({ isAbandoned: call.isAbandoned, task: () => servers.list(request) });
  };

  const show: Operate = (call) => {
    const [id, token] = [idOf(call), admit(call)];
    return work({ isAbandoned: call.isAbandoned, task: () => servers.show(id, token) });
  };

  const listHosts: Operate = (call) => {
    if (hosts === undefined) return refuseUnknownPath(call);
    const request = { query: call.parameters, token: admit(call, 'hosts'), hooks };
    return work({ isAbandoned: call.isAbandoned, task: () => hosts.list(request) });
  };

  const showHost: Operate = (call) => {
    if (hosts === undefined) return refuseUnknownPath(call);
    const request = { query: call.parameters, token: admit(call, 'hosts'), hooks };
    return work({ isAbandoned: call.isAbandoned, task: () => hosts.show(idOf(call), request) });
  };

  return { login, list, show, listHosts, showHost };
}

function idOf({ arrival }: Call): string {
  return decodeURIComponent(arrival.path.split('/').at(-1) ?? '');
}

export const refuseUnknownPath: Operate = ({ arrival }) => {
  throw new Refusal(404, 'NotFoundError', `${arrival.path} not found`);
};

/** Both quote the token back, as the real platform was seen to do: whoever logs an error's text leaks it. */
function unknownToken(token: string | undefined): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized: token "${token ?? ''}" is not valid`);
}

function refuseGuest(guest: Omit<Privilege, 'required' | 'allowed'>, token: string | undefined): Refusal {
  const scope = readScope(guest.asked, 'project', guest.release);
  const required = guest.resource === 'hosts' ? 'system' : scope;
  const { status, className, message } = notEnoughPrivilege({ ...guest, required, allowed: 'none' });
  return new Refusal(status, className, token === undefined ? message : `${message} [token "${token}"]`);
}
