import { describe, expect, it } from 'vitest';
import { failureFor, minute, setUp } from './token-source.ts';

describe('a token that nears its end', () => {
  /** A token with a tenth of its life left. */
  async function setUpNearEnd() {
    const parts = setUp();
    const old = await parts.obtain();
    await parts.clock.advance(9 * minute);
    return { ...parts, old };
  }

  it('is given to pages while its renewal hangs, after a short wait for all of them together', async () => {
    const { clock, source, deadline, issued, old, hang } = await setUpNearEnd();
    const end = hang();
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
    const fresh = end();
    await clock.advance(0);
    expect(await source.obtain(collection)).toBe(fresh);
  });

  it('is renewed at once if the login is quick, without a second try after a timeout', async () => {
    const { clock, obtain, old, issued } = await setUpNearEnd();
    expect(await obtain()).not.toBe(old);
    expect([clock.waits, clock.pending()]).toEqual([[1500], 0]);
    expect(issued.map(({ retryTimeouts }) => retryTimeouts)).toEqual([true, false]);
  });

  it('and reaches it before its renewal ends has everybody wait for that', async () => {
    const { clock, source, obtain, hang, issued } = await setUpNearEnd();
    const end = hang();
    void obtain();
    await clock.advance(minute);
    expect([source.held(), source.isAwaited()]).toEqual([undefined, true]);
    const obtained = obtain();
    const fresh = end();
    expect(await obtained).toBe(fresh);
    expect([issued.length, source.isAwaited()]).toEqual([2, false]);
  });

  it('is tried to be renewed once in a collection, again in the next one, and used until it is dead', async () => {
    const { clock, source, deadline, issued, warnings, failures, old, obtain, refuse } = await setUpNearEnd();
    refuse('network');
    const collection = deadline();
    for (let page = 0; page < 5; page += 1) expect(await source.obtain(collection)).toBe(old);
    expect(issued).toHaveLength(2);
    expect(warnings).toEqual([{ reason: 'network', err: 'refused' }]);
    await clock.advance(1000);
    expect(await obtain()).toBe(old);
    expect(issued).toHaveLength(3);
    await clock.advance(minute);
    await expect(obtain()).rejects.toMatchObject({ reason: 'network' });
    expect([failures.length, warnings.length], 'nobody says that the dead one works').toEqual([3, 2]);
  });

  it('outlives a mistake of ours in its renewal', async () => {
    const { obtain, old, answerWith, warnings, failures } = await setUpNearEnd();
    answerWith(() => Promise.reject(new TypeError('planted')));
    const stack: unknown = expect.stringMatching(/^TypeError: planted\n +at /);
    expect(await obtain()).toBe(old);
    expect([warnings, failures]).toEqual([[{ reason: 'bug', stack }], []]);
  });
});

describe('who waits for a login', () => {
  it('leaves when the collection is over, and the login goes on for others', async () => {
    const { source, deadline, hang, issued } = setUp();
    const end = hang();
    const over = new AbortController();
    const gone = source.obtain(deadline(), over.signal);
    const stays = source.obtain(deadline(), new AbortController().signal);
    over.abort(failureFor('timeout'));
    await expect(gone).rejects.toMatchObject({ reason: 'timeout' });
    await expect(source.obtain(deadline(), over.signal)).rejects.toMatchObject({ reason: 'timeout' });
    const fresh = end();
    expect(await stays).toBe(fresh);
    expect(issued).toHaveLength(1);
  });
});
