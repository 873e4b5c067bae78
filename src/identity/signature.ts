import aws4 from 'aws4';

/** The platform checks the signature with whatever location is named beside it. */
const location = 'us-east-1';

/**
 * `access_key_secret`: a JSON text with an AWS-V4 signature over the login request itself.
 * The secret key signs and is not sent.
 */
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
