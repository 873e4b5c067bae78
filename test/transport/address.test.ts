import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/transport/address.ts';

describe('an address', () => {
  it.each([
    ['https://cloud.example.com/compute', 'https://cloud.example.com/compute'],
    ['https://cloud.example.com/compute/ ', 'https://cloud.example.com/compute'],
    ['\t https://cloud.example.com:443//\n', 'https://cloud.example.com'],
    ['HTTP://Cloud.example.com', 'http://cloud.example.com'],
    ['http://[::1]:8774/v2?a=b#c', 'http://[::1]:8774/v2'],
    ['http://host/a b', 'http://host/a%20b'],
  ])('%j is understood as %j', (text, expected) => {
    expect(addressOf(text)).toBe(expected);
  });

  it.each([
    ...'| |http://|http:// |http:///|http:host|http://a b/|http://host:99999|http://%'.split('|'),
    ...'ftp://host/|file:///etc/passwd|javascript:alert(1)|cloud.example.com'.split('|'),
  ])('%j is none', (text) => expect(addressOf(text)).toBeUndefined());

  it('can always have a path put behind it, and stays at its host', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.constantFrom(...'http:// https:// \u00a0 \0 // @ : % [::1] \\ ? # x'.split(' '), ' '),
    );
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (candidate) => {
        const address = addressOf(candidate);
        if (address === undefined) return;
        const url = new URL(`${address}/servers`);
        expect(url.host).toBe(new URL(candidate.trim()).host);
        expect(url.pathname.endsWith('/servers')).toBe(true);
        expect([url.search, url.hash]).toEqual(['', '']);
      }),
      { numRuns: 2000 },
    );
  });
});
