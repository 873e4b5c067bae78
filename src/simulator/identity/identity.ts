import { randomUUID } from 'node:crypto';
import { accessKey, hasRole } from '../accounts.ts';
import type { Answer, Dialect } from '../answer.ts';
import type { Project } from '../fleet/landscape.ts';
import { readLogin } from './login-request.ts';
import { createMethods } from './methods.ts';
import { chooseScope } from './scope.ts';
import { createServiceCatalog, type Addresses } from './service-catalog.ts';
import { documentBody, platformBody } from './token-body.ts';
import type { Tokens } from './tokens.ts';

export interface IdentityParts {
  readonly dialect: Dialect;
  readonly tokens: Tokens;
  readonly projects: readonly Project[];
  readonly addresses: () => Addresses;
  readonly passwordExpiresAtMs: number | undefined;
  readonly rewriteBody: (body: object) => unknown;
}

export interface Identity {
  login(request: { contentType: string | undefined; body: string; peer: string }): Answer;
  setPassword(password: string): void;
  issueTicket(): string;
}

export function createIdentity(parts: IdentityParts): Identity {
  const { dialect, tokens, projects } = parts;
  const methods = createMethods({ dialect, tokens });

  return {
    login({ contentType, body, peer }) {
      const request = readLogin(contentType, body, dialect);
      const account = methods.authenticate(request);
      const token = tokens.issue(account, chooseScope(request, account, projects));
      const login = {
        method: request.method,
        token,
        projects: projects.filter((project) => hasRole(account, project)),
        catalog: createServiceCatalog(parts.addresses(), tokens.issued.length),
        context: { ip: request.ip ?? peer, source: request.source ?? 'api' },
        ...(request.method === 'aksk' && { accessKey }),
        ...(parts.passwordExpiresAtMs !== undefined && { passwordExpiresAtMs: parts.passwordExpiresAtMs }),
      };
      const answered = parts.rewriteBody(dialect === 'document' ? documentBody(login) : platformBody(login));
      return {
        status: dialect === 'document' ? 201 : 200,
        headers: {
          'X-Subject-Token': token.id,
          ...(dialect === 'document' ? documentHeaders() : platformHeaders),
        },
        body: Buffer.from(JSON.stringify(answered)),
      };
    },
    setPassword: (password) => methods.setPassword(password),
    issueTicket: () => methods.issueTicket(),
  };
}

function documentHeaders(): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Vary: 'X-Auth-Token',
    'x-platform-request-id': `req-${randomUUID()}`,
  };
}

const platformHeaders = { 'Content-Type': 'application/json;charset=utf-8', Vary: 'Origin' };
