import { Refusal, requireJsonContentType, requireMethod, type Dialect } from './answer.ts';
import type { Call, Operate } from './exchange.ts';
import type { Identity } from './identity/identity.ts';
import { notEnoughPrivilege, readScope } from './privilege.ts';
import type { Hooks } from './quirks.ts';
import type { Release } from './release.ts';
import type { Servers } from './servers/servers.ts';
import type { IssuedToken, Tokens } from './identity/tokens.ts';

export interface OperationParts {
  readonly dialect: Dialect;
  readonly release: Release;
  readonly identity: Identity;
  readonly servers: Servers;
  readonly tokens: Tokens;
  readonly hooks: Hooks;
  readonly work: <Done extends { readonly rows: number }>(task: () => Promise<Done>) => Promise<Done>;
}

export function createOperations(parts: OperationParts) {
  const { dialect, release, identity, servers, tokens, hooks, work } = parts;

  function admit({ arrival, parameters }: Call): IssuedToken {
    requireMethod(arrival.method, 'GET');
    if (dialect === 'document') requireJsonContentType(arrival.headers['content-type']);
    const { state, token } = tokens.inspect(arrival.tokenSent);
    if (state === 'live' && token !== undefined) return token;
    throw dialect === 'document' && state !== 'unscoped'
      ? unknownToken(arrival.tokenSent)
      : refuseGuest(parameters.get('scope'), release, arrival.tokenSent);
  }

  const login: Operate = async ({ arrival, peer }) => {
    requireMethod(arrival.method, 'POST');
    await hooks.beforeLogin?.();
    return identity.login({ contentType: arrival.headers['content-type'], body: arrival.body, peer });
  };

  const list: Operate = async (call) => {
    const token = admit(call);
    const request = {
      query: call.parameters,
      token,
      beforePage: async (page: { offset: number; limit: number }) => hooks.beforePage?.(page),
    };
    const { answer } = await work(() => servers.list(request));
    return answer;
  };

  const show: Operate = (call) =>
    servers.show(decodeURIComponent(call.arrival.path.split('/').at(-1) ?? ''), admit(call));

  return { login, list, show };
}

export const refuseUnknownPath: Operate = ({ arrival }) => {
  throw new Refusal(404, 'NotFoundError', `${arrival.path} not found`);
};

/** Both quote the token back, as the real platform was seen to do: whoever logs an error's text leaks it. */
function unknownToken(token: string | undefined): Refusal {
  return new Refusal(401, 'UnauthorizedError', `unauthorized: token "${token ?? ''}" is not valid`);
}

function refuseGuest(asked: string | null, release: Release, token: string | undefined): Refusal {
  const required = readScope(asked, 'none', release);
  const { status, className, message } = notEnoughPrivilege({
    resource: 'servers',
    required: required === 'none' ? 'project' : required,
    allowed: 'none',
    asked,
    release,
  });
  return new Refusal(status, className, token === undefined ? message : `${message} [token "${token}"]`);
}
