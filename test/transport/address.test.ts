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
});
