import { signAccessKey } from './signature.ts';

/** A secret is kept as a way to read it: it cannot be printed by accident, and a rotated file is read again. */
export type ReadSecret = () => Promise<string>;

export type Reference = { readonly id: string } | { readonly name: string };
type InDomain = Reference & { readonly domain?: Reference };

/** One of the four ways to prove who we are; `method` is the platform's own word for it. */
export type Credential =
  | { readonly method: 'password'; readonly user: InDomain; readonly password: ReadSecret }
  | { readonly method: 'token'; readonly token: ReadSecret }
  | { readonly method: 'aksk'; readonly accessKey: ReadSecret; readonly secretKey: ReadSecret }
  | { readonly method: 'cas'; readonly ticket: ReadSecret };

export type Scope = { readonly project: InDomain } | { readonly domain: Reference };

export interface Login {
  readonly credential: Credential;
  readonly scope: Scope | undefined;
  readonly url: URL;
  /** The moment that goes into a signature. */
  readonly at: Date;
}

/** The body of POST /v3/auth/tokens, spelled as the document spells it (`Domain` within `user`). */
export async function loginBody({ credential, scope, url, at }: Login): Promise<object> {
  const proof = await prove(credential, url, at);
  return { auth: { identity: { methods: [credential.method], ...proof }, ...(scope && { scope }) } };
}

async function prove(credential: Credential, url: URL, at: Date): Promise<object> {
  if (credential.method === 'token') return { token: { id: await credential.token() } };
  if (credential.method === 'cas') return { cas_ticket: { id: await credential.ticket() } };
  if (credential.method === 'aksk') {
    const [accessKey, secretKey] = await Promise.all([credential.accessKey(), credential.secretKey()]);
    return { access_key_secret: signAccessKey({ accessKey, secretKey, url, at }) };
  }
  const { domain, ...user } = credential.user;
  const password = await credential.password();
  return { password: { user: { ...user, ...(domain && { Domain: domain }), password } } };
}
