import { describe, expect, it } from 'vitest';
import type { FailureReason } from '../../src/transport/advice.ts';
import { minute, setUp } from './token-source.ts';

describe('a token', () => {
  it('is issued once for all who wait, and logged with its end and without itself', async () => {
    const { obtain, issued, debugged } = setUp();
    const tokens = await Promise.all(Array.from({ length: 20 }, obtain));
    expect([issued.length, new Set(tokens).size]).toEqual([1, 1]);
    expect(debugged).toEqual([{ trigger: 'startup', expiresAt: '2026-11-15T00:10:00.000Z' }]);
  });

  it('without rights is not replaced at every scrape', async () => {
    const { clock, obtain, replace, issued } = setUp();
    const refusals: boolean[] = [];
    for (let scrape = 0; scrape < 8; scrape += 1) {
      refusals.push((await replace(await obtain())) === undefined);
      await clock.advance(15_000);
    }
    // The first replacement is tried at once, the next after 30 s, the one after that a minute later.
    expect(refusals).toEqual([false, true, false, true, true, true, false, true]);
    expect(issued).toHaveLength(4);
  });
});

describe('a refused login', () => {
  it('backs off from 30 s to 10 min, and says when it is tried again', async () => {
    const { clock, obtain, refuse, issued } = setUp();
    refuse();
    const pauses: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      // Whoever sets the wall clock does not change that.
      clock.stepWall(round % 2 === 0 ? -60 * minute : 48 * 60 * minute);
      await expect(obtain()).rejects.toMatchObject({ reason: 'unauthorized' });
      const words = await obtain().catch((error: Error) => error.message);
      pauses.push(Number(/^refused; the next login is tried in (\d+) s$/.exec(String(words))?.[1]));
      await clock.advance(pauses.at(-1)! * 1000 - 1);
      await expect(obtain(), 'at least').rejects.toThrow('tried in 1 s');
      await clock.advance(1);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(issued).toHaveLength(7);
  });

  const passing: FailureReason[] = ['network', 'timeout', 'upstream', 'secret'];
  it.each(passing)('for %s is tried at the next scrape', async (reason) => {
    const { obtain, refuse, issued } = setUp();
    refuse(reason);
    await expect(obtain()).rejects.toMatchObject({ reason });
    await expect(obtain()).rejects.toMatchObject({ reason });
    expect(issued).toHaveLength(2);
  });

  it('is held back from the beginning once a login has succeeded', async () => {
    const { clock, obtain, refuse, grant } = setUp();
    refuse();
    await expect(obtain()).rejects.toThrow();
    await clock.advance(30_000);
    grant(minute);
    await obtain();
    await clock.advance(minute);
    refuse();
    await expect(obtain()).rejects.toThrow();
    await expect(obtain()).rejects.toThrow('tried in 30 s');
  });
});
