import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Token } from '../../src/identity/issue.ts';
import { failureFor, minute, password, setUp } from './token-source.ts';

describe('a token that nears its end', () => {
  /** A token with a tenth of its life left. */
  async function setUpNearEnd(credential = password) {
    const parts = setUp(credential);
    const old = await parts.obtain();
    await parts.clock.advance(9 * minute);
    return { ...parts, old };
  }

  it('is given to pages while its renewal hangs, after a short wait for all of them together', async () => {
    const { clock, source, deadline, issued, old, answerWith, token } = await setUpNearEnd();
    let end: (token: Token) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    const collection = deadline();
    const first = source.obtain(collection);
    await clock.advance(1000);
    const second = source.obtain(collection);
    expect(clock.waits.slice(-2)).toEqual([1500, 500]);
    await clock.advance(500);
    expect(await Promise.all([first, second])).toEqual([old, old]);
    const waits = clock.waits.length;
    expect(await source.obtain(collection)).toBe(old);
    expect(clock.waits, 'later pages do not wait').toHaveLength(waits);
    expect(issued).toHaveLength(2);
    const fresh = token(10 * minute);
    end(fresh);
    await clock.advance(0);
    expect(await source.obtain(collection)).toBe(fresh);
  });

  it('is renewed at once if the login is quick', async () => {
    const { clock, obtain, old } = await setUpNearEnd();
    expect(await obtain()).not.toBe(old);
    expect([clock.waits, clock.pending()]).toEqual([[1500], 0]);
  });

  it('and reaches it before its renewal ends has everybody wait for that', async () => {
    const { clock, source, deadline, answerWith, issued, token } = await setUpNearEnd();
    let end: (token: Token) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    void source.obtain(deadline());
    await clock.advance(minute);
    expect([source.held(), source.isAwaited()]).toEqual([undefined, true]);
    const obtained = source.obtain(deadline());
    const fresh = token(10 * minute);
    end(fresh);
    expect(await obtained).toBe(fresh);
    expect([issued.length, source.isAwaited()]).toEqual([2, false]);
  });

  it('is tried to be renewed once in a collection, and again in the next one', async () => {
    const { clock, source, deadline, issued, warnings, old, refuse } = await setUpNearEnd();
    refuse('network');
    const collection = deadline();
    for (let page = 0; page < 5; page += 1) expect(await source.obtain(collection)).toBe(old);
    expect(issued).toHaveLength(2);
    expect(warnings).toEqual([{ reason: 'network', err: 'refused' }]);
    await clock.advance(1000);
    expect(await source.obtain(deadline())).toBe(old);
    expect(issued).toHaveLength(3);
  });

  it.each([
    [new TypeError('planted'), expect.stringMatching(/^TypeError: planted\n +at /)],
    ['thrown as it is', 'thrown as it is'],
  ])('outlives a mistake of ours in its renewal: %s', async (mistake, stack) => {
    const { obtain, old, answerWith, warnings, failures } = await setUpNearEnd();
    answerWith(async () => {
      throw mistake;
    });
    expect(await obtain()).toBe(old);
    expect(warnings).toEqual([{ reason: 'bug', stack }]);
    expect(failures).toEqual([]);
  });

  it.each([1000, 1499])('is not waited for anew by the next collection after %i ms', async (ms) => {
    const { clock, source, deadline, answerWith } = await setUpNearEnd();
    answerWith(() => new Promise(() => undefined));
    void source.obtain(deadline());
    await clock.advance(ms);
    void source.obtain(deadline());
    expect(clock.waits.slice(-2)).toEqual([1500, 1500 - ms]);
  });

  it('is renewed without a second try after a timeout, which a first login has', async () => {
    const { obtain, issued } = await setUpNearEnd();
    await obtain();
    expect(issued.map(({ retryTimeouts }) => retryTimeouts)).toEqual([true, false]);
  });

  it.each([
    ['set back an hour', -60 * minute, [8 * minute - 1, 1]],
    ['set forward an hour', 60 * minute, [0]],
    ['set forward to the moment', 8 * minute, [0]],
    ['set forward to just before', 8 * minute - 1, [0, 1]],
  ])('by the monotonic clock or by the wall clock, is renewed: %s', async (_words, byMs, steps) => {
    const { clock, obtain, issued } = setUp();
    await obtain();
    clock.stepWall(byMs);
    for (const [index, ms] of steps.entries()) {
      await clock.advance(ms);
      await obtain();
      expect(issued).toHaveLength(index === steps.length - 1 ? 2 : 1);
    }
  });

  it('is not dead because the wall clock was set forward', async () => {
    const { clock, source, obtain, refuse } = setUp();
    const held = await obtain();
    clock.stepWall(60 * minute);
    refuse('network');
    expect(await obtain()).toBe(held);
    expect(source.held()).toBe(held);
    await clock.advance(10 * minute - 1);
    expect(source.held()).toBe(held);
    await clock.advance(1);
    expect(source.held()).toBeUndefined();
  });
});

describe('who waits for a login', () => {
  it('leaves when the collection is over, and the login goes on for others', async () => {
    const { source, deadline, answerWith, issued, token } = setUp();
    let end: (token: Token) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    const over = new AbortController();
    const gone = source.obtain(deadline(), over.signal);
    const stays = source.obtain(deadline(), new AbortController().signal);
    over.abort(failureFor('timeout'));
    await expect(gone).rejects.toMatchObject({ reason: 'timeout' });
    await expect(source.obtain(deadline(), over.signal)).rejects.toMatchObject({ reason: 'timeout' });
    const fresh = token(minute);
    end(fresh);
    expect(await stays).toBe(fresh);
    expect(issued).toHaveLength(1);
  });

  it('has nothing else to do only while no token works', async () => {
    const { clock, source, obtain, answerWith, token } = setUp();
    expect(source.isAwaited(), 'nobody logs in').toBe(false);
    let end: (token: Token) => void = () => undefined;
    answerWith(() => new Promise((resolve) => (end = resolve)));
    const first = obtain();
    expect(source.isAwaited(), 'the first login').toBe(true);
    end(token(10 * minute));
    await first;
    await clock.advance(9 * minute);
    void obtain();
    expect(source.isAwaited(), 'a renewal').toBe(false);
  });

  it('is told when it fails, and nobody else is troubled by it', async () => {
    const { source, deadline, refuse } = setUp();
    refuse('network');
    const { signal } = new AbortController();
    await expect(source.obtain(deadline(), signal)).rejects.toMatchObject({ reason: 'network' });
  });

  it('leaves no trace at the collection, however many of its pages wait', async () => {
    const { source, deadline } = setUp();
    const { signal } = new AbortController();
    const waiting = Promise.all(Array.from({ length: 20 }, () => source.obtain(deadline(), signal)));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await waiting;
  });
});
