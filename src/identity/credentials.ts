import aws4 from 'aws4';

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

interface Login {
  readonly credential: Credential;
  readonly scope: Scope | undefined;
  readonly url: URL;
  /** The moment that goes into a signature. */
  readonly at: Date;
}

/** The body of POST /v3/auth/tokens, spelled as the document spells it (`Domain` within `user`), and the secrets in it. */
export async function loginBody(login: Login): Promise<{ body: object; secrets: readonly string[] }> {
  const { credential, scope } = login;
  const { proof, secrets } = await prove(login);
  const identity = { methods: [credential.method], ...proof };
  return { body: { auth: { identity, ...(scope && { scope }) } }, secrets };
}

async function prove({ credential, url, at }: Login): Promise<{ proof: object; secrets: readonly string[] }> {
  if (credential.method === 'token') {
    const id = await credential.token();
    return { proof: { token: { id } }, secrets: [id] };
  }
  if (credential.method === 'cas') {
    const id = await credential.ticket();
    return { proof: { cas_ticket: { id } }, secrets: [id] };
  }
  if (credential.method === 'aksk') {
    const [accessKey, secretKey] = await Promise.all([credential.accessKey(), credential.secretKey()]);
    const signed = signAccessKey({ accessKey, secretKey, url, at });
    return { proof: { access_key_secret: signed }, secrets: [accessKey, secretKey, signed] };
  }
  const { domain, ...user } = credential.user;
  const password = await credential.password();
  const proof = { password: { user: { ...user, ...(domain && { Domain: domain }), password } } };
  return { proof, secrets: [password] };
}

/** The platform checks the signature with whatever location is named beside it. */
const location = 'us-east-1';

/** A JSON text with an AWS-V4 signature over the login request itself. The secret key signs and is not sent. */
export function signAccessKey(input: { accessKey: string; secretKey: string; url: URL; at: Date }): string {
  const { accessKey, secretKey, url, at } = input;
  const signer = new aws4.RequestSigner(
    {
      method: 'POST',
      host: url.host,
      path: url.pathname,
      service: 's3',
      region: location,
      headers: { 'X-Amz-Date': at.toISOString().replace(/[:-]|\.\d{3}/g, '') },
    },
    { accessKeyId: accessKey, secretAccessKey: secretKey },
  );
  signer.prepareRequest();
  return JSON.stringify({
    algorithm: 'AWS4-HMAC-SHA256',
    access_key: accessKey,
    location,
    request: signer.stringToSign(),
    sign_date: at.toISOString().replace(/\.\d{3}Z$/, '.000000Z'),
    signature: signer.signature(),
    signed_headers: signer.signedHeaders().split(';'),
  });
}
