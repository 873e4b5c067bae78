import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createReadingTurns } from '../../src/transport/reading-turns.ts';

const megabyte = 2 ** 20;

describe('who reads bodies', () => {
  it('reads on while all of them together have read little in this turn of the event loop', async () => {
    const turns = createReadingTurns(() => undefined);
    for (let turn = 0; turn < 3; turn += 1) {
      for (let reader = 0; reader < 4; reader += 1) expect(turns.took(megabyte)).toBeUndefined();
      await nextTurn();
    }
  });

  it('waits for its turn once they have read much, one after the other', async () => {
    const turns = createReadingTurns(() => undefined);
    expect(turns.took(4 * megabyte)).toBeUndefined();
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map((name) => turns.took(1)!.then(() => order.push(name)));
    await waiting[0];
    expect(order).toEqual(['a']);
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(turns.took(1)).toBeUndefined();
  });

  it('has what was read tidied up after each six megabytes of all of them together', () => {
    let tidied = 0;
    const turns = createReadingTurns(() => (tidied += 1));
    for (let read = 0; read < 6; read += 1) void turns.took(megabyte);
    expect(tidied).toBe(0);
    void turns.took(1);
    expect(tidied).toBe(1);
    for (let read = 0; read < 6; read += 1) void turns.took(megabyte);
    expect(tidied).toBe(1);
    void turns.took(1);
    expect(tidied).toBe(2);
  });
});
