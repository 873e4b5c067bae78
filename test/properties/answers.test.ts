import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../simulator/faults.ts';
import { dayMs, setStage } from '../faults/stage.ts';
import type { Parsed } from '../support/exposition.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

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

async function tryAll(operation: 'login' | 'list', faults: fc.Arbitrary<Fault>): Promise<void> {
  const { clock, cloud, exporter, scrape } = await setStage();
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(faults, fc.constantFrom(0, 1), async (fault, page) => {
      cloud.faults.set({ operation, ...(operation === 'list' && { page }), fault });
      // A login is due each time, and no pause after an earlier one holds it back.
      await clock.advance(2 * dayMs);
      failures = expectSane(await scrape(), failures);
      cloud.faults.clear();
    }),
    { numRuns: 120 },
  );
  await clock.advance(2 * dayMs);
  expectTruth(await scrape(), truthOf(cloud.fleet), 'one');
  expect(exporter.logged()).not.toContain('a bug');
}

const jsonOf = (json: fc.Arbitrary<unknown>) => json.map((one): Fault => ({ kind: 'json', json: one }));

describe('the exporter survives, and counts nothing wrong,', () => {
  it('whatever JSON or text comes as a page, with whatever status and headers', async () => {
    const page = fc.oneof(anyJson, fc.record({ servers: fc.array(anyJson), limit: anyJson, total: anyJson }));
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('{"servers":[')).map(String);
    const answer = fc.record({
      code: fc.integer({ min: 200, max: 599 }),
      retryAfter: fc.oneof(
        fc.nat(),
        fc.string().map((words) => words.replace(/[^\x20-\x7e]/g, '')),
      ),
      body: fc.oneof(anyJson, fc.string()),
    });
    const [texts, statuses] = [
      text.map((words): Fault => ({ kind: 'text', text: words })),
      answer.map((given): Fault => ({ kind: 'status', ...given })),
    ];
    await tryAll('list', fc.oneof(jsonOf(page), texts, statuses));
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
    await tryAll('login', jsonOf(body));
  });
});
