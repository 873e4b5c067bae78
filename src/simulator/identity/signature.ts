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
  const texts = ['access_key', 'signature', 'request', 'location', 'sign_date'].map((name) => fields[name]);
  if (fields['algorithm'] !== algorithm || !Array.isArray(fields['signed_headers'])) return undefined;
  if (!texts.every((value) => typeof value === 'string')) return undefined;
  const [accessKey, signature, stringToSign, location, signed] = texts as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { accessKey, signature, stringToSign, location, date: signed.slice(0, 10).replaceAll('-', '') };
}

export function verifySignature(login: SignedLogin, secret: string): boolean {
  const [named, moment, scope, digest] = login.stringToSign.split('\n');
  if (named !== algorithm || moment?.startsWith(login.date) !== true) return false;
  if (scope !== `${login.date}/${login.location}/s3/aws4_request`) return false;
  if (!/^[0-9a-f]{64}$/.test(digest ?? '')) return false;
  const parts = [login.date, login.location, 's3', 'aws4_request', login.stringToSign];
  const sign = (key: Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const expected = parts.reduce<Buffer>(sign, Buffer.from(`AWS4${secret}`));
  const given = Buffer.from(login.signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}
