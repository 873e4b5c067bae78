import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedLogin {
  readonly accessKey: string;
  readonly signature: string;
  readonly stringToSign: string;
  readonly location: string;
  readonly date: string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** `access_key_secret` is a string that holds JSON: a V4 signature of the login itself, never the secret. */
export function readSignedLogin(text: string): SignedLogin | undefined {
  const fields = parseObject(text);
  const { access_key, signature, request, location, sign_date, signed_headers } = fields;
  if (fields.algorithm !== algorithm || !Array.isArray(signed_headers)) return undefined;
  if (typeof access_key !== 'string' || typeof signature !== 'string') return undefined;
  if (typeof request !== 'string' || typeof location !== 'string' || typeof sign_date !== 'string')
    return undefined;
  const date = sign_date.slice(0, 10).replaceAll('-', '');
  return { accessKey: access_key, signature, stringToSign: request, location, date };
}

export function verifySignature(login: SignedLogin, secret: string): boolean {
  const [named, moment, scope, digest] = login.stringToSign.split('\n');
  if (named !== algorithm || moment?.startsWith(login.date) !== true) return false;
  if (scope !== `${login.date}/${login.location}/s3/aws4_request`) return false;
  if (!/^[0-9a-f]{64}$/.test(digest ?? '')) return false;
  const parts = [login.date, login.location, 's3', 'aws4_request', login.stringToSign];
  const expected = parts.reduce<Buffer>(sign, Buffer.from(`AWS4${secret}`));
  const given = Buffer.from(login.signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
