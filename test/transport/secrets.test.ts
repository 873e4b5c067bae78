import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/transport/secrets.ts';

const token = 'gAAAAABlYx7z-3kFq_0Zb1c.9d8e7f6a5b4c3d2e1f';

function secretsOf(...known: string[]) {
  const secrets = createSecrets();
  secrets.add(known);
  return secrets;
}

describe('a text from outside', () => {
  it.each(['39dada', 'req-39dada-000001', 'a.b:c_d', 'x'.repeat(64)])(
    'that looks like an id is told: %s',
    (id) => expect(secretsOf(token, 'hunter2-password').tellable(id)).toBe(id),
  );

  it.each([
    ['nothing', undefined],
    ['an empty one', ''],
    ['one that is too long', 'x'.repeat(65)],
    ['a blank', 'a b'],
    ['the end of a line', 'a\n'],
    ['markup', '<script>'],
    ['letters beyond ASCII', 'é'],
    ['a token', token],
    ['a token within an id', `req-${token}-1`],
    ['the first half of a token', token.slice(0, 20)],
    ['a part of a token within an id', `req-${token.slice(9, 25)}-1`],
    ['a short password', 'pw1'],
    ['a short password within an id', 'req-pw1-39dada'],
    ['a part of a short password', 'pw'],
  ])('is not told if it is %s', (_words, text) => {
    expect(secretsOf(token, 'pw1', '').tellable(text)).toBeUndefined();
  });

  it('is not told if it shows a secret that is not known yet, such as a new token', () => {
    expect(secretsOf().tellable(token, token)).toBeUndefined();
  });

  it('is compared with what was carried lately, once each', () => {
    const secrets = secretsOf('password-of-the-cloud');
    for (let login = 0; login < 19; login += 1)
      secrets.add(['password-of-the-cloud', `token-${login}-of-it`]);
    expect(secrets.tellable('password-of-the-cloud')).toBeUndefined();
    expect(secrets.tellable('token-0-of-it')).toBeUndefined();
    for (let login = 19; login < 40; login += 1) secrets.add([`token-${login}-of-it`]);
    expect(secrets.tellable('token-39-of-it')).toBeUndefined();
    expect(secrets.tellable('password-of-the-cloud')).toBe('password-of-the-cloud');
  });
});
