import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fault } from '../simulator/faults.ts';
import { setStage } from '../faults/stage.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

/** Ways in which a page breaks off after so many bytes, fewer than any page here has, or looks whole and is not. */
const broken: fc.Arbitrary<Fault> = fc.nat({ max: 4000 }).chain((bytes) =>
  fc.constantFrom<Fault[]>(
    { kind: 'truncated', keepBytes: bytes },
    { kind: 'resetInBody', afterBytes: bytes },
    // Announces more than it sends, or less.
    { kind: 'contentLength', byBytes: 1 + bytes },
    { kind: 'contentLength', byBytes: -1 - (bytes % 2000) },
  ),
);

const run = fc.record({ fault: broken, page: fc.nat({ max: 2 }), times: fc.integer({ min: 1, max: 2 }) });

/** With `filter_any` the list is read by offset. */
const ways = {
  'by id': {},
  'by offset': { query: { scope: 'system', pending_delete: 'all', filter_any: 'true' } },
};

it.each(Object.entries(ways))(
  'wherever a page %s breaks off, and whatever it brought, only the page that came in its place counts',
  async (_way, more) => {
    const { cloud, scrape } = await setStage(() => ({ per_server: true, details_max_age: 0, ...more }));
    // A first list has sixteen ranges, most of them with shorter pages.
    await scrape();
    let struck = 0;
    let ghosts = 0;
    const ghostOf = (server: Record<string, unknown>) => {
      const id = String(server['id']);
      ghosts += 1;
      return { ...server, vcpu_count: 999, id: /[0-7]$/.test(id) ? id : `ghost-${id}` };
    };
    await fc.assert(
      fc.asyncProperty(run, async ({ fault, page, times }) => {
        const rule = cloud.faults.set({ operation: 'list', page, times, fault });
        // A broken attempt brings servers that are not there, beside some that are, with other numbers.
        let seen = 0;
        cloud.hooks.beforePage = () => {
          cloud.quirks.rewriteServer = rule.hits > seen ? ghostOf : undefined;
          seen = rule.hits;
        };
        const parsed = await scrape();
        struck += rule.hits;
        rule.clear();
        cloud.hooks.beforePage = undefined;
        cloud.quirks.rewriteServer = undefined;
        expect(parsed.value('cloud_up')).toBe(1);
        expectTruth(parsed, truthOf(cloud.fleet), 'one');
        const named = parsed.of('cloud_server_info').map(({ labels }) => labels['id']);
        expect(new Set(named)).toEqual(new Set(cloud.fleet.servers.map(({ id }) => id)));
      }),
      { numRuns: 25 },
    );
    expect(struck).toBeGreaterThan(15);
    expect(ghosts).toBeGreaterThan(50);
  },
);
