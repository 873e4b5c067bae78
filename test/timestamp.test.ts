import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timestampOf } from '../src/timestamp.ts';

describe('a timestamp', () => {
  const { TZ } = process.env;
  beforeAll(() => {
    process.env['TZ'] = 'Asia/Shanghai';
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(-480);
  });
  afterAll(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });

  it.each([
    ['2026-11-15T08:00:00Z', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15T08:00:00.971306Z', '2026-11-15T08:00:00.971Z'],
    ['2026-11-15T08:00:00.000000', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15T08:00:00', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15 08:00:00', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15T08:00', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15T08:00:00+08:00', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15T08:00:00-0130', '2026-11-15T09:30:00.000Z'],
    ['2026-11-15t08:00:00z', '2026-11-15T08:00:00.000Z'],
    ['Sun, 15 Nov 2026 08:00:00 GMT', '2026-11-15T08:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('is UTC unless it says otherwise, wherever the exporter runs: %s', (text, expected) => {
    expect(new Date(timestampOf(text)!).toISOString()).toBe(expected);
  });

  it.each([
    ...'| |soon|1|1.5|-1|2026-13-01T00:00:00Z|2026-11-15T25:00:00Z|2026-11-15T08:00:00 CST'.split('|'),
    ...'0001-01-01T00:00:00Z|0001-01-01 00:00:00|1969-12-31T23:59:59Z|+275760-09-13T00:00:00Z'.split('|'),
    ...'Sun, 15 Nov 2026 08:00:00|Fri, 31 Dec 1600 00:00:00 GMT'.split('|'),
    `2026-11-15T08:00:00.${'0'.repeat(100_000)}x`,
  ])('is none in %j', (text) => expect(timestampOf(text)).toBeUndefined());
});
