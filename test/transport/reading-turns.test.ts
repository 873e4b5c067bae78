import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createReadingTurns } from '../../src/transport/reading-turns.ts';

const megabyte = 2 ** 20;

describe('who reads bodies', () => {
  it('reads on while all of them together have read little in this turn of the event loop', async () => {
    const turns = createReadingTurns();
    for (let turn = 0; turn < 3; turn += 1) {
      for (let reader = 0; reader < 4; reader += 1) expect(turns.took(megabyte)).toBeUndefined();
      await nextTurn();
    }
  });

  it('waits for its turn once they have read much, one after the other', async () => {
    const turns = createReadingTurns();
    expect(turns.took(4 * megabyte)).toBeUndefined();
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map((name) => turns.took(1)!.then(() => order.push(name)));
    await waiting[0];
    expect(order).toEqual(['a']);
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(turns.took(1)).toBeUndefined();
  });
});
