import { createHmac } from 'node:crypto';
import { exporterAccount, systemProject, type Account, type Rights } from '../../src/simulator/accounts.ts';
import { defaultDomain, retailDomain } from '../../src/simulator/fleet/places.ts';
import { parse, textAt, unauthorized, type Way } from '../../src/simulator/login.ts';
import type { Tokens } from '../../src/simulator/tokens.ts';

export { exporterAccount, systemProject, type Account };

function account(id: string, name: string, rights: Rights, more: Partial<Account>): Account {
  return { id, name, password: `${name}-password`, domain: defaultDomain, rights, policy: '', ...more };
}

/** Beside the exporter's own those that are refused something. */
export const accounts = [
  exporterAccount,
  /** The account that the handbook advises: it lists the whole system, and may do nothing else. */
  account('dd4b41a4c5b4474f8baa126a1fe329c2', 'lister', 'system', {
    policy: 'exporter-list',
    boundTo: 'system',
  }),
  /** A plain user, with a role in the project `web` of the domain `Default` only. */
  account('465fd77a63c04cd882377923cf264340', 'alice', 'project', { policy: 'project-viewer' }),
  /** Administrates the domain `Default`, and nothing beyond it. */
  account('c0ae2b1f6f7d4f0c9f1d6a4b5e8d7c21', 'dora', 'domain', { policy: 'domainadmin' }),
  /** Logs in to the project `web`, and no policy allows it anything. */
  account('2f4b7e1c9d8a4c6fb3a5d7e9f1c2b4a6', 'bob', 'none', {}),
  /** The same name in another domain: a login that does not say its domain is ambiguous. */
  account('7d3c0f6e2a5b4b0e8f9a1c2d3e4f5a6b', 'exporter', 'project', { domain: retailDomain }),
  /** Was switched off by an administrator. */
  account('9a1f6c3d5e7b4a2c8d0e1f2a3b4c5d6e', 'carol', 'project', { disabled: true }),
] as const;
export const [, listAccount, plainAccount, domainAccount, powerlessAccount] = accounts;

/** Belongs to the exporter's account and to the project `system`; it was made on the real platform. */
export const accessKey = {
  id: '840a217328ab46f889f3a2c953f96edf',
  secret: 'zv5TWke9SjtF7a3XDmRmeXkZo2AjrCas',
};

/** The ways in beside the password; each ticket opens one login. */
export function createWays(tokens: Tokens, tickets: Set<string>): Readonly<Record<string, Way>> {
  return {
    token(auth) {
      const id = textAt(auth, 'identity.token.id');
      const { state, token } = tokens.inspect(id);
      if (state === 'live' || state === 'unscoped') return { account: token.account };
      throw unauthorized(`authUserByTokenV3: token "${id}" not found: [auth] token not found`);
    },
    cas(auth) {
      const ticket = textAt(auth, 'identity.cas_ticket.id') ?? '';
      if (tickets.delete(ticket)) return { account: exporterAccount };
      throw unauthorized(`authUserByCASV3: ticket "${ticket}" not recognized`);
    },
    aksk(auth) {
      if (!isSigned(textAt(auth, 'identity.access_key_secret') ?? ''))
        throw unauthorized('authUserByAccessKeyV3: Verify: signature mismatch');
      const echo = { access_key: accessKey.id, expire: 0, secret: accessKey.secret };
      const told = { access_key: echo, audit_ids: [accessKey.id] };
      return { account: exporterAccount, scope: { project: systemProject }, told };
    },
  };
}

/** `access_key_secret` is a string that holds JSON: a V4 signature of the login itself, never the secret. */
function isSigned(text: string): boolean {
  const { access_key, algorithm, location, request, sign_date, signature, signed_headers } = parse(text);
  if (access_key !== accessKey.id || !Array.isArray(signed_headers)) return false;
  const date = String(sign_date).slice(0, 10).replaceAll('-', '');
  const scope = `${date}/${String(location)}/s3/aws4_request`;
  const [named, moment, scoped, digest = ''] = String(request).split('\n');
  if (algorithm !== 'AWS4-HMAC-SHA256' || named !== algorithm || scoped !== scope) return false;
  if (moment?.startsWith(date) !== true || !/^[0-9a-f]{64}$/.test(digest)) return false;
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.split('/').reduce<string | Buffer>(sign, `AWS4${accessKey.secret}`);
  return sign(key, String(request)).toString('hex') === signature;
}
