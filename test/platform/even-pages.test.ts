import { describe, expect, it } from 'vitest';
import { evenLayout } from '../../src/platform/even-pages.ts';
import { startPlan } from '../../src/platform/page-plan.ts';
import { asks } from './page-plans.ts';

const settings = { pageSize: 1000, pageLimit: 100, overlap: 10, concurrency: 4 };

describe('even pages', () => {
  it.each([
    ['eleven pages, which take as long as twelve', 10_000, {}, 852],
    ['one page for each connection', 3500, {}, 894],
    ['as many full pages as fill every connection', 7900, {}, 1000],
    ['three pages, of which there would be a third more', 2500, {}, 1000],
    ['four pages of five, of which there would be a quarter more', 4900, { concurrency: 5 }, 1000],
    ['the pages of one connection, which is never idle', 10_000, { concurrency: 1 }, 1000],
    ['no more pages than may be asked for', 10_000, { pageLimit: 11 }, 1000],
    ['just as many as may be asked for', 10_000, { pageLimit: 12 }, 852],
    ['no servers', 0, {}, 1000],
  ])('are made of %s', (_words, total, given, expected) => {
    expect(evenLayout({ fullPage: 1000, total }, { ...settings, ...given })).toEqual({
      fullPage: expected,
      total,
    });
  });

  it('reach to the end of the list, though it has grown a little, and no further', () => {
    for (let total = 3001; total < 20_000; total += 97) {
      const layout = evenLayout({ fullPage: 1000, total }, settings);
      const { offsets } = asks(startPlan({ ...settings, pageSize: layout.fullPage }, layout));
      const needed = Math.ceil(total / 990);
      expect(offsets.length).toBeLessThanOrEqual(Math.ceil(needed * 1.25) + 1);
      expect(Number(offsets.at(-1)) + layout.fullPage).toBeGreaterThan(total);
    }
  });
});
