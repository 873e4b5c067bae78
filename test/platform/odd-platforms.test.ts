import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareIds, oneRange } from '../../src/platform/id-ranges.ts';
import { listAll } from '../../src/platform/list.ts';
import type { Listing } from '../../src/platform/page.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createRandom, type Random } from '../../src/simulator/fleet/random.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { createPagingPlatform, type Habits, type Row } from './paging-platform.ts';

/** Lists of each kind of platform; `LISTS=10000` reads more, `SEED=…` others. */
const lists = Number(process.env['LISTS'] ?? 240);
const seed = Number(process.env['SEED'] ?? 50);
const listsOfRun = 3;

const letters = (random: Random, all: string, length: number) =>
  Array.from({ length }, () => random.pick(all.split(''))).join('');

const kindsOfIds: Readonly<Record<string, (random: Random) => string>> = {
  uuids: (random) => random.uuid(),
  digits: (random) => String(random.below(100_000)),
  'mixed letters': (random) => letters(random, 'aAbBcCxXyYzZ_', 1 + random.below(5)),
  'odd characters': (random) => `${letters(random, 'aB9 .:-_~%,("é', 1 + random.below(4))}x`,
  'common beginnings': (random) => `server-of-that-name-${random.below(1000)}`,
};

const cap = (random: Random) => 3 + random.below(10);

const platforms: Readonly<Record<string, (random: Random) => Habits>> = {
  'as the real one': () => ({}),
  'that cuts pages where more match': (random) => ({ cap: cap(random) }),
  'that cuts pages and always says so': (random) => ({ cap: cap(random), saysCap: 'always' }),
  'that cuts pages and never says so': (random) => ({ cap: cap(random), saysCap: 'never' }),
  'that has no totals': () => ({ totals: () => undefined }),
  'that has no totals and cuts pages': (random) => ({
    cap: cap(random),
    saysCap: 'never',
    totals: () => undefined,
  }),
  'that has a total now and then': () => ({
    totals: (total, random) => (random.chance(0.5) ? total : undefined),
  }),
  'whose totals are too high': () => ({ totals: (total) => total + 1 }),
  'that ignores limit': () => ({ ignoresLimit: true }),
  'that ignores filters': () => ({ heeds: 'none' }),
  'that ignores lower bounds': () => ({ heeds: 'up to' }),
  'that ignores upper bounds': () => ({ heeds: 'after' }),
  'that ignores the order': () => ({ order: 'creation' }),
  'that knows one direction only': () => ({ order: 'id descending' }),
  'that tells capitals from small letters': () => ({ order: 'id with capitals' }),
  'whose pages end early': () => ({ cuts: 0.2 }),
  'whose pages come empty': () => ({ breaks: 0.2 }),
  'with everything at once': (random) => ({ cap: cap(random), breaks: 0.1, cuts: 0.1 }),
  'that ignores filters and offset': () => ({ heeds: 'none', ignoresOffset: true }),
};
/** Where two of a hundred lists by id may lack a server that was there all the time; elsewhere none may. */
const mayMiss = /never says so|the order|end early|everything/;

const run = fc.record({
  seed: fc.nat(),
  kindOfIds: fc.constantFrom(...Object.keys(kindsOfIds)),
  servers: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 150 })),
  pageSize: fc.oneof(fc.integer({ min: 3, max: 16 }), fc.integer({ min: 17, max: 60 })),
  concurrency: fc.integer({ min: 1, max: 8 }),
  /** How often a server comes or goes before a statement. */
  changes: fc.constantFrom(0, 0.1, 0.5, 1),
  inOneRange: fc.boolean(),
});

it.each(Object.entries(platforms))('of a platform %s', async (name, habits) => {
  const counts = { byId: 0, missed: 0 };
  const property = fc.asyncProperty(run, async (input) => {
    const random = createRandom(input.seed);
    const idOf = () => kindsOfIds[input.kindOfIds]!(random);
    const platform = createPagingPlatform({
      ids: Array.from({ length: input.servers }, idOf),
      habits: habits(random),
      random,
    });
    platform.events.beforeStatement = () => {
      if (!random.chance(input.changes)) return;
      const ids = platform.ids();
      if (random.chance(0.5)) platform.create(idOf());
      if (ids.length > 0 && random.chance(0.5)) platform.remove(random.pick(ids));
    };
    const clock = createEagerClock();
    const { signal } = new AbortController();
    let known: readonly Row[] = [];
    let byOffset: string | undefined;
    for (let list = 1; list <= listsOfRun; list += 1) {
      const stayed = platform.watch();
      const listing: Listing<Row> | undefined = await listAll({
        ...input,
        ask: platform.ask,
        clock,
        signal,
        known,
        byOffset,
        ranges: input.inOneRange ? oneRange(known) : undefined,
        resource: 'servers',
        pageLimit: 10_000,
      }).catch((error: unknown) => {
        if (error instanceof Failure && error.reason === 'truncated') return undefined;
        throw error;
      });
      expect(platform.mostUnderWay()).toBeLessThanOrEqual(input.concurrency);
      if (!listing) continue;
      const listed = listing.items.map(({ id }) => id);
      const distinct = new Set(listed);
      expect(listed, 'no server comes twice').toHaveLength(distinct.size);
      const isMissing = [...stayed].some((id) => !distinct.has(id));
      if (listing.byOffset === undefined) {
        counts.byId += 1;
        counts.missed += Number(isMissing);
        if (!mayMiss.test(name)) expect(isMissing, 'who stays is in it').toBe(false);
      }
      if (input.changes === 0 && isMissing)
        expect(listing.reported, 'what is missing though nothing changes shows').toBeGreaterThan(
          distinct.size,
        );
      known = listing.items.toSorted((a, b) => compareIds(a.id, b.id));
      byOffset = listing.byOffset?.isLasting && random.chance(0.5) ? listing.byOffset.why : undefined;
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(lists / listsOfRun), seed });
  expect(counts.missed).toBeLessThanOrEqual(counts.byId * 0.02);
});
