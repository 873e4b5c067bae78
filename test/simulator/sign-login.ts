import { createHash, createHmac } from 'node:crypto';
import { accessKey } from '../../src/simulator/accounts.ts';

/** `access_key_secret` as a client makes it: a V4 signature, here over a canonical request that nobody looks at. */
export function signLogin(secret: string = accessKey.secret): string {
  const location = 'cn-beijing';
  const digest = createHash('sha256').update('the canonical request').digest('hex');
  const request = `AWS4-HMAC-SHA256\n20261115T001313Z\n20261115/${location}/s3/aws4_request\n${digest}`;
  const key = ['20261115', location, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return JSON.stringify({
    access_key: accessKey.id,
    algorithm: 'AWS4-HMAC-SHA256',
    location,
    request,
    sign_date: '2026-11-15T00:13:13.000000Z',
    signature: hmac(key, request).toString('hex'),
    signed_headers: ['host', 'x-amz-date'],
  });
}

function hmac(key: string | Buffer, part: string): Buffer {
  return createHmac('sha256', key).update(part).digest();
}
