import { randomUUID } from 'node:crypto';
import { accessKey, accounts, exporterAccount, type Account } from '../accounts.ts';
import { Refusal, unauthorized, type Dialect } from '../answer.ts';
import { matches, type LoginRequest } from './login-request.ts';
import { readSignedLogin, verifySignature } from './signature.ts';
import type { Tokens } from './tokens.ts';

export interface Methods {
  authenticate(request: LoginRequest): Account;
  setPassword(password: string): void;
  issueTicket(): string;
}

/** Who somebody is, by each of the four ways to say it. */
export function createMethods({ dialect, tokens }: { dialect: Dialect; tokens: Tokens }): Methods {
  const tickets = new Set<string>();
  let exporterPassword = exporterAccount.password;

  function byPassword({ user }: LoginRequest): Account {
    const found = accounts.filter(({ id, name, domain }) =>
      user.id === undefined ? name === user.name && matches(domain, user.domain) : id === user.id,
    );
    if (found.length > 1) throw new Refusal(409, 'ConflictError', 'the user name is in several domains');
    const [account] = found;
    if (account === undefined) {
      throw dialect === 'platform'
        ? new Refusal(404, 'UserNotFound', 'idp: UserNotFound')
        : unauthorized('no such user');
    }
    const password = account === exporterAccount ? exporterPassword : account.password;
    if (user.password === password) return account;
    throw new Refusal(401, 'WrongPassword', 'Authenticate: usrExt.VerifyPassword: WrongPassword');
  }

  function byToken({ tokenId }: LoginRequest): Account {
    const { state, token } = tokens.inspect(tokenId);
    if (token !== undefined && (state === 'live' || state === 'unscoped')) return token.account;
    throw unauthorized(`authUserByTokenV3: token "${tokenId}" not found: [auth] token not found`);
  }

  function byTicket({ ticketId = '' }: LoginRequest): Account {
    if (tickets.delete(ticketId)) return exporterAccount;
    throw unauthorized(`authUserByCASV3: ticket "${ticketId}" not recognized`);
  }

  const ways = { password: byPassword, token: byToken, aksk: byAccessKey, cas: byTicket };
  return {
    authenticate: (request) => ways[request.method](request),
    setPassword(password) {
      exporterPassword = password;
    },
    issueTicket() {
      const ticket = `ST-${randomUUID()}`;
      tickets.add(ticket);
      return ticket;
    },
  };
}

function byAccessKey({ accessKeySecret = '' }: LoginRequest): Account {
  const signed = readSignedLogin(accessKeySecret);
  if (signed?.accessKey === accessKey.id && verifySignature(signed, accessKey.secret)) return exporterAccount;
  throw unauthorized('authUserByAccessKeyV3: Verify: signature mismatch');
}
