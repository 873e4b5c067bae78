import { describe, expect, it } from 'vitest';
import { createLookup } from '../../src/transport/names.ts';
import { createManualClock } from '../support/manual-clock.ts';

const turn = () => new Promise(setImmediate);
const at = (address: string) => [{ address, family: 4 }];

/** A resolver that answers when the test says so. */
function setUp() {
  const clock = createManualClock();
  const asked: string[] = [];
  const ends = new Map<string, (outcome: string | Error) => void>();
  const lookup = createLookup({
    clock,
    resolve: (host) =>
      new Promise((resolve, reject) => {
        asked.push(host);
        ends.set(host, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(at(outcome))));
      }),
  });
  const find = (host: string, all = true) =>
    new Promise<unknown>((resolve) => {
      lookup(host, { all }, (error, addresses) => resolve(error ? error.message : addresses));
    });
  async function answer(host: string, outcome: string | Error) {
    await turn();
    ends.get(host)!(outcome);
    await turn();
  }
  return { clock, asked, find, answer };
}

describe('a name', () => {
  it('is asked for once, however many wait for it, and again later: the newest answer counts', async () => {
    const { asked, find, answer } = setUp();
    const found = [find('a'), find('a', false), find('a')];
    await answer('a', '10.0.0.1');
    expect(await Promise.all(found)).toEqual([at('10.0.0.1'), '10.0.0.1', at('10.0.0.1')]);
    expect(asked).toEqual(['a']);
    const later = find('a');
    await answer('a', '10.0.0.2');
    expect(await later).toEqual(at('10.0.0.2'));
  });

  it('that was known is used as it was when the resolver takes more than a second, unless it is gone', async () => {
    const { clock, asked, find, answer } = setUp();
    const first = find('a');
    await answer('a', '10.0.0.1');
    await first;
    const slow = find('a');
    await turn();
    await clock.advance(1000);
    expect(await slow).toEqual(at('10.0.0.1'));
    expect([asked, clock.pending()]).toEqual([['a', 'a'], 0]);
    const both = [find('a'), find('a', false)];
    await answer('a', Object.assign(new Error('gone'), { code: 'ENOTFOUND' }));
    expect(await Promise.all(both)).toEqual(['gone', 'gone']);
    const later = find('a');
    await turn();
    await clock.advance(10_000);
    expect(await later).toBe('the name server gave no answer');
  });
});
