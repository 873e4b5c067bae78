import { describe, expect, it } from 'vitest';
import { failure, setUp } from './collections.ts';

describe('a failure', () => {
  it('is logged aloud once for each reason, with what to do, and so is the end of it', async () => {
    const { logged, said, collectWell, collectBadly } = setUp();
    await collectWell();
    for (const reason of ['network', 'network', 'tls'] as const) await collectBadly(failure(reason));
    await collectWell();
    await collectWell();
    expect(said()).toEqual([
      'warn collection failed',
      'debug collection failed again',
      'warn collection failed',
      'info collection succeeded again',
    ]);
    expect(logged[0]!.fields).toEqual({
      reason: 'network',
      operation: 'list_servers',
      requestId: 'abc',
      err: 'the platform says network',
      cure: expect.stringContaining('DNS') as string,
    });
    expect(logged[3]!.fields).toEqual({ servers: 7 });
  });

  it('that lasts is told again once an hour, with the reason and since when', async () => {
    const { clock, logged, said, collectWell, collectBadly } = setUp();
    const since = new Date(clock.now()).toISOString();
    await collectBadly(failure('network'));
    for (const ms of [3_599_999, 3_599_999, 1, 0, 3_600_000]) {
      await clock.advance(ms);
      await collectBadly(failure('tls'));
    }
    await collectWell();
    await collectBadly(failure('tls'));
    expect(said()).toEqual([
      'warn collection failed',
      'warn collection failed',
      'debug collection failed again',
      'warn the cloud is still down',
      'debug collection failed again',
      'warn the cloud is still down',
      'info collection succeeded again',
      'warn collection failed',
    ]);
    expect(logged[3]!.fields).toEqual({ ...logged[1]!.fields, since });
  });

  it.each([
    [new TypeError('of a value that nobody may see'), 'TypeError', /^TypeError: of a value.*\n +at /],
    ['thrown as it is', 'string', /^thrown as it is$/],
    [null, 'object', /^null$/],
  ])('that is a mistake of ours is a `bug` of this cloud: %s', async (error, name, stack) => {
    const { logged, said, events, collectBadly } = setUp();
    const answer = await collectBadly(error);
    const message = `${name} in the exporter itself; its log has the stack`;
    expect(answer).toMatchObject({ up: false, failure: { reason: 'bug', message } });
    expect(events).toEqual(['collecting', `bug: ${message}`]);
    await collectBadly(error);
    expect(said()).toEqual(['error a bug broke the collection', 'debug collection failed again']);
    expect(logged[0]!.fields).toMatchObject({ reason: 'bug', stack: expect.stringMatching(stack) as string });
    expect(JSON.stringify(logged[1]!.fields)).not.toContain('stack":');
  });

  it('within an observer is no exception', async () => {
    function collecting(): never {
      throw new RangeError('in the observer');
    }
    const others = { collectionFailed: () => undefined, answeredStale: () => undefined };
    const { ask } = setUp({ observer: { collecting, ...others } });
    expect((await ask()).failure?.reason).toBe('bug');
  });
});

describe('a collection that does not end', () => {
  it('is given up shortly after its deadline, whatever it waits for, and the next one starts anew', async () => {
    const { clock, collections, ask, collectWell } = setUp({
      tokens: { held: () => undefined, isAwaited: () => true },
    });
    const old = await collectWell();
    const asked = ask({ patienceMs: 1_000_000 });
    await clock.advance(60_249);
    expect(collections[1]!.signal.aborted).toBe(false);
    await clock.advance(1);
    const answer = await asked;
    expect(answer).toMatchObject({ up: false, failure: { reason: 'timeout', operation: 'login' } });
    expect(answer.failure?.message).toMatch(/^login did not end within the 60 s of collection_timeout: /);
    expect(collections[1]!.signal.reason).toBe(answer.failure);
    expect(answer.snapshot).toBe(old);

    const next = ask();
    await collections[1]!.succeed();
    expect(collections).toHaveLength(3);
    expect(collections[2]!.signal.aborted).toBe(false);
    const fresh = await collections[2]!.succeed();
    expect((await next).snapshot, 'what came too late is ignored').toBe(fresh);
  });

  it('is not given up earlier because the wall clock was set', async () => {
    const { clock, collections, ask } = setUp();
    void ask({ patienceMs: 1_000_000 });
    clock.stepWall(3_600_000);
    await clock.advance(59_000);
    expect(collections[0]!.signal.aborted).toBe(false);
  });

  it('ends when the exporter stops, and none starts after that', async () => {
    const { collector, collections, ask } = setUp();
    const asked = ask();
    collector.stop();
    expect((await asked).failure).toMatchObject({ reason: 'network', message: 'the exporter is stopping' });
    expect(collections[0]!.signal.aborted).toBe(true);
    expect((await ask()).failure?.message).toBe('the exporter is stopping');
    expect(collections).toHaveLength(1);
  });

  it('that nobody waits for ends when the end begins, and is neither counted nor logged', async () => {
    const { clock, collector, collections, events, logged, ask } = setUp();
    const asked = ask({ patienceMs: 1000 });
    await clock.advance(1000);
    await asked;
    expect(collections[0]!.signal.aborted).toBe(false);
    collector.drain();
    expect(collections[0]!.signal.aborted).toBe(true);
    await collections[0]!.succeed();
    expect([events, logged]).toEqual([['collecting'], []]);
  });

  it('that somebody waits for goes on until he is gone', async () => {
    const { clock, collector, collections, ask } = setUp();
    const [hasty, patient] = [ask({ patienceMs: 1000 }), ask({ patienceMs: 5000 })];
    collector.drain();
    await clock.advance(1000);
    await hasty;
    expect(collections[0]!.signal.aborted).toBe(false);
    await collections[0]!.succeed();
    expect((await patient).up).toBe(true);
    const late = ask({ patienceMs: 1000 });
    await clock.advance(1000);
    await late;
    expect(collections[1]!.signal.aborted).toBe(true);
  });
});
