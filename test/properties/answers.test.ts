import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../simulator/faults.ts';
import { setStage, type Stage } from '../faults/stage.ts';
import type { Parsed } from '../support/exposition.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const numRuns = 40;

/** Keys that mean something, so that what is made up comes near to what is looked at. */
const telling = fc.constantFrom(
  ...'servers limit total offset token id expires_at catalog endpoints type url interface user class'.split(
    ' ',
  ),
  ...'__proto__ constructor length vcpu_count'.split(' '),
);
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 25, 1e300, '', 'compute_v2', 'public', '2026-11-15T10:00:00Z'),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(telling, tie('value'), { maxKeys: 6 }),
  ),
}));

/** Whatever the answer is: the scrape is valid, and tells a failure with a reason or numbers that add up. */
function expectSane(parsed: Parsed, failuresBefore: number): number {
  const failures = parsed.sum('cloud_exporter_collection_failures_total');
  const isUp = parsed.value('cloud_up') === 1;
  expect(failures - failuresBefore).toBe(isUp ? 0 : 1);
  if (isUp)
    expect(parsed.sum('cloud_servers')).toBe(parsed.value('cloud_list_received', { resource: 'servers' }));
  return failures;
}

async function tryAll<Value>(
  stage: Stage,
  operation: 'login' | 'list',
  values: fc.Arbitrary<Value>,
  faultOf: (value: Value) => Fault,
): Promise<void> {
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom(0, 1), async (value, page) => {
      stage.cloud.faults.set({ operation, ...(operation === 'list' && { page }), fault: faultOf(value) });
      // A login is due each time, and no pause after an earlier one holds it back.
      await stage.clock.advance(2 * 86_400_000);
      failures = expectSane(await stage.scrape(), failures);
      stage.cloud.faults.clear();
    }),
    { numRuns },
  );
  await stage.clock.advance(2 * 86_400_000);
  expectTruth(await stage.scrape(), truthOf(stage.cloud.fleet), 'one');
  expect(stage.exporter.logged()).not.toContain('a bug');
}

describe('the exporter survives, and counts nothing wrong,', () => {
  it('whatever JSON comes as a page', async () => {
    const page = fc.oneof(anyJson, fc.record({ servers: fc.array(anyJson), limit: anyJson, total: anyJson }));
    await tryAll(await setStage(), 'list', page, (json) => ({ kind: 'json', json }));
  });

  it('whatever JSON comes as a token', async () => {
    const body = fc.oneof(
      anyJson,
      fc.record({ id: anyJson, token: fc.dictionary(telling, anyJson, { maxKeys: 8 }) }),
      fc.record({
        id: fc.string(),
        token: fc.record({ catalog: anyJson, expires_at: anyJson, user: anyJson }),
      }),
    );
    await tryAll(await setStage(), 'login', body, (json) => ({ kind: 'json', json }));
  });

  it('whatever text comes as a page', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('{"servers":[')).map(String);
    await tryAll(await setStage(), 'list', text, (words) => ({ kind: 'text', text: words }));
  });

  it('whatever status comes, with whatever headers and body', async () => {
    const answer = fc.record({
      code: fc.integer({ min: 200, max: 599 }),
      retryAfter: fc.oneof(
        fc.nat(),
        fc.string().map((text) => text.replace(/[^\x20-\x7e]/g, '')),
      ),
      body: fc.oneof(anyJson, fc.string()),
    });
    await tryAll(await setStage(), 'list', answer, (given) => ({ kind: 'status', ...given }));
  });
});
