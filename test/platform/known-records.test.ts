import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownRecords, type KnownRecords } from '../../src/platform/known-records.ts';
import { createPageParser } from '../../src/platform/read-page.ts';

interface ReadOptions {
  keep?: boolean;
  isOfUse?: (item: unknown) => boolean;
  holds?: (item: unknown) => boolean;
}

/** Reads a page, and says which records had to be read for it. */
async function read(known: KnownRecords<unknown>, page: Buffer, options: ReadOptions = {}) {
  const { keep = true, holds, isOfUse } = options;
  const taken: unknown[] = [];
  const reading = known.begin(holds);
  const parse = createPageParser<unknown>((record) => (taken.push(record), record), { known: reading });
  const parsed = await parse(Buffer.from(page));
  if (keep) reading.keep(isOfUse);
  return { parsed, taken };
}

/** Runs are learned of records that are known, so not yet with the first list. */
async function readTwice(known: KnownRecords<unknown>, page: Buffer) {
  await read(known, page);
  await read(known, page);
}

const pageOf = (...servers: object[]) => Buffer.from(JSON.stringify({ limit: 9, servers, total: 9 }));
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: `server ${id}`, nics: [{ id: 1 }] }));
const last = { id: 'the last one' };
/** So many that they are known as several runs. */
const fleet = Array.from({ length: 200 }, (_, id) => ({ id: `server ${id}`, nics: [{ id: 1 }], vcpus: 1 }));

describe('a record that is known', () => {
  it('is not read again, wherever it stands', async () => {
    const known = createKnownRecords();
    expect((await read(known, pageOf(a!, b!, c!, last))).taken).toEqual([a, b, c, last]);
    const { parsed, taken } = await read(known, pageOf(c!, d!, a!, b!, last));
    expect(taken).toEqual([d]);
    expect(parsed).toEqual({ limit: 9, servers: [c, d, a, b, last], total: 9 });
  });

  it('keeps its place among others that are new, and that are there twice', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, last));
    const servers = fleet.flatMap((server) => [server, a!, server]);
    const { parsed, taken } = await read(known, pageOf(...servers));
    expect(parsed).toEqual({ limit: 9, servers, total: 9 });
    expect(taken).not.toContainEqual(a);
    const again = await read(known, pageOf(...servers));
    expect(again).toEqual({ parsed, taken: [] });
  });

  it('is forgotten with the first list that does not show it', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, b!, last));
    await read(known, pageOf(b!, last));
    expect((await read(known, pageOf(a!, b!, last))).taken).toEqual([a]);
  });

  it('stays known through a collection that fails, which teaches nothing', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, b!, last));
    await read(known, pageOf(b!, c!, last), { keep: false });
    expect((await read(known, pageOf(a!, b!, c!, last))).taken).toEqual([c]);
  });

  it('is not taken for two that stand where one was expected', async () => {
    const known = createKnownRecords();
    const odd = { ID: 'begins otherwise' };
    const page = pageOf(a!, odd, b!, last);
    await read(known, page);
    expect((await read(known, page)).parsed).toEqual(JSON.parse(page.toString()));
    expect((await read(known, pageOf(odd, a!, last))).parsed).toMatchObject({ servers: [odd, a, last] });
  });

  it('is read again once it does not hold any more, alone or among others', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    const stale = fleet[77];
    const isStale = (item: unknown) => (item as { id: string }).id === stale!.id;
    const again = await read(known, pageOf(...fleet, last), { holds: (item) => !isStale(item) });
    expect(again.taken).toEqual([stale]);
    expect(again.parsed).toMatchObject({ servers: [...fleet, last] });
    expect((await read(known, pageOf(...fleet, last))).taken).toEqual([]);
  });
});

describe('the last record of a page', () => {
  const pages = [
    ['as others', pageOf(a!, b!)],
    ['with lists of its own at its end', pageOf(a!, { ...b!, disks: [{ id: 1 }] })],
    ['with nothing behind the list', Buffer.from(JSON.stringify({ servers: [a, b] }))],
    ['alone', pageOf(a!)],
  ] as const;

  it.each(pages)('is known, %s', async (_words, page) => {
    const known = createKnownRecords();
    const first = await read(known, page);
    expect(first.parsed).toEqual(JSON.parse(page.toString()));
    const again = await read(known, page);
    expect(again.taken).toEqual([]);
    expect(again.parsed).toEqual(first.parsed);
  });

  it('is known in the middle of a page, and one from there at the end', async () => {
    const known = createKnownRecords();
    await read(known, pageOf(a!, b!, c!));
    const { parsed, taken } = await read(known, pageOf(c!, a!, b!));
    expect(taken).toEqual([]);
    expect(parsed).toMatchObject({ servers: [c, a, b] });
  });

  it.each([
    ['has spaces', '{"servers":[{"id":1},{"id":2} ],"total":2}'],
    ['has spaces between records', '{"servers":[{"id":1}, {"id":2}],"total":2}'],
    ['has another list', '{"servers":[{"id":1},{"id":2}],"zones":[{"id":3}],"total":2}'],
    ['has another list of the same name', '{"servers":[{"id":1},{"id":2}],"servers":[{"id":3}]}'],
  ])('is read as JSON.parse would where the page %s', async (_words, text) => {
    const known = createKnownRecords();
    for (let round = 0; round < 2; round += 1)
      expect((await read(known, Buffer.from(text))).parsed).toEqual(JSON.parse(text));
  });

  it.each([
    '{"servers":[{"id":1},{"id":2,"nics":[{"id":1}]',
    '{"servers":[{"id":1},{"id":2}],"zones":[{"id":1}]',
  ])('does not save a page that breaks off: %s', async (text) => {
    const known = createKnownRecords();
    await read(known, Buffer.from('{"servers":[{"id":1},{"id":2}],"total":2}'));
    expect((await read(known, Buffer.from(text))).parsed).toBeUndefined();
  });
});

describe('what was made of a record', () => {
  it('is not kept if it is of no use, and neither are the runs that it was part of', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    const isOfUse = (item: unknown) => item !== undefined && (item as { id: string }).id !== 'server 90';
    expect((await read(known, pageOf(...fleet, last), { isOfUse })).taken).toEqual([]);
    const page = { limit: 9, servers: [...fleet, last], total: 9 };
    expect(await read(known, pageOf(...fleet, last))).toEqual({ parsed: page, taken: [fleet[90]] });
    expect(await read(known, pageOf(...fleet, last))).toEqual({ parsed: page, taken: [] });
  });

  it('gives its place to nobody within a run, if it is of no use and others are new', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    // All that is known but the first is of no use, and the list has as many that are new, each among known ones.
    const news = fleet.map(({ id }) => ({ id: `new ${id}`, nics: [{ id: 1 }] }));
    const mixed = fleet.flatMap((server, index) => [server, news[index]!]);
    const isOfUse = (item: unknown) => !(item as { id: string }).id.startsWith('server') || item === fleet[0];
    await read(known, pageOf(...mixed, last), { isOfUse });
    for (let round = 0; round < 2; round += 1)
      expect((await read(known, pageOf(...mixed, last))).parsed).toMatchObject({ servers: [...mixed, last] });
  });

  it('is always right, whatever changes and is of use', async () => {
    const few = fc.array(fc.nat({ max: 39 }), { maxLength: 6 });
    const list = fc.record({ changed: few, useless: few });
    await fc.assert(
      fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 6 }), async (lists) => {
        const known = createKnownRecords();
        const servers = fleet.slice(0, 40).map((server) => ({ ...server, version: 0 }));
        await readTwice(known, pageOf(...servers));
        for (const { changed, useless } of lists) {
          for (const place of changed) servers[place]!.version += 1;
          const isOfUse = (item: unknown) =>
            !useless.some((place) => servers[place]!.id === (item as { id: string }).id);
          for (const options of [{ isOfUse }, {}]) {
            const { parsed } = await read(known, pageOf(...servers), options);
            expect(parsed).toMatchObject({ servers });
          }
        }
      }),
    );
  });

  it('is not learned if it is of no use', async () => {
    const known = createKnownRecords();
    const isOfUse = (item: unknown) => item !== a;
    const parsedAs = (item: unknown) => (JSON.stringify(item) === JSON.stringify(a) ? a : item);
    const reading = known.begin();
    await createPageParser<unknown>(parsedAs, { known: reading })(pageOf(a!, b!, last));
    reading.keep(isOfUse);
    expect((await read(known, pageOf(a!, b!, last))).taken).toEqual([a]);
  });
});

describe('a run of records that is known', () => {
  const shortest = 4;

  /** How often bytes are looked up: once for a run, else once for each record. */
  async function countLookups(records: KnownRecords<unknown>, servers: readonly object[]) {
    let lookups = 0;
    const reading = records.begin();
    const counted = {
      ...reading,
      openPage(body: Buffer) {
        const { known: learned, ...page } = reading.openPage(body);
        const known: typeof learned = {
          ...learned,
          runs: {
            ...learned.runs!,
            take(place, digest, items) {
              lookups += 1;
              return learned.runs!.take(place, digest, items);
            },
          },
          find(digest) {
            lookups += 1;
            return learned.find(digest);
          },
        };
        return { ...page, known };
      },
    };
    const parsed = await createPageParser<unknown>((record) => record, { known: counted })(
      pageOf(...servers),
    );
    reading.keep();
    expect(parsed).toMatchObject({ servers });
    return lookups;
  }

  it('is looked up as one, once its records were there twice', async () => {
    const known = createKnownRecords();
    expect(await countLookups(known, [...fleet, last])).toBe(201);
    expect(await countLookups(known, [...fleet, last])).toBe(201);
    expect(await countLookups(known, [...fleet, last])).toBeLessThan(201 / shortest + 1);
  });

  it('is the same behind a record that came, went or changed before it', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    const longest = 12;
    const runs = await countLookups(known, [...fleet, last]);
    const changes = [
      [a!, ...fleet, last],
      [...fleet, last],
      fleet.slice(3),
      [...fleet.slice(3, 90), b!, ...fleet.slice(90), last],
      [...fleet.slice(3, 90), { ...b!, name: 'another' }, ...fleet.slice(90), last],
      [...fleet.slice(3, 90), ...fleet.slice(91), last],
    ];
    for (const servers of changes) {
      expect(await countLookups(known, servers)).toBeLessThan(runs + 2 * longest);
      expect(await countLookups(known, servers)).toBeLessThanOrEqual(runs + longest);
    }
  });

  it('is forgotten with the first list that does not show it', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    await read(known, pageOf(a!, last));
    const others = Array.from({ length: 300 }, (_, id) => ({ id: `another ${id}`, nics: [{ id: 1 }] }));
    expect((await read(known, pageOf(...others, last))).taken).toHaveLength(300);
    expect((await read(known, pageOf(...fleet, last))).taken).toHaveLength(200);
  });

  it('is not mixed up by a collection that was given up and still reads beside the next one', async () => {
    const known = createKnownRecords();
    await readTwice(known, pageOf(...fleet, last));
    const givenUp = known.begin();
    const slowly = createPageParser<unknown>((record) => record, { known: givenUp });
    const half = [...fleet.slice(0, 100), last];
    await slowly(pageOf(...fleet.slice(50), ...half));
    await read(known, pageOf(...half));
    const others = fleet.map(({ id }) => ({ id, nics: [{ id: 2 }] }));
    await read(known, pageOf(...others, last));
    expect(await slowly(pageOf(...fleet, last))).toMatchObject({ servers: [...fleet, last] });
    givenUp.keep();
    expect((await read(known, pageOf(...others, last))).taken).toEqual([]);
  });
});

describe('what is known of a large list', () => {
  /** Where in the list something changes, and how. */
  const edit = fc.record({
    at: fc.nat({ max: 400 }),
    kind: fc.constantFrom('change', 'insert', 'delete', 'move', 'double'),
    isKept: fc.boolean(),
  });

  it('makes no difference to what is read, however the list changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
        const known = createKnownRecords();
        let version = 0;
        let servers: object[] = [...fleet];
        await readTwice(known, pageOf(...servers));
        for (const { at, kind, isKept } of edits) {
          const place = at % servers.length;
          const changed = { id: `server ${place}`, nics: [], version: (version += 1) };
          const edited = {
            change: servers.with(place, changed),
            insert: servers.toSpliced(place, 0, changed),
            delete: servers.toSpliced(place, 1),
            move: [...servers.slice(place), ...servers.slice(0, place)],
            double: servers.toSpliced(place, 0, servers.at(-1)!),
          };
          servers = edited[kind];
          const { parsed } = await read(known, pageOf(...servers), { keep: isKept });
          expect(parsed).toEqual({ limit: 9, servers, total: 9 });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is all that the last good collection showed, and nothing else', async () => {
    const known = createKnownRecords();
    let shown = new Set<number>();
    for (let round = 0; round < 12; round += 1) {
      const now = Array.from(
        { length: 300 * (1 + (round % 5)) },
        (_, index) => (index * 7 + round * 50) % 4000,
      );
      const page = pageOf(...now.map((id) => ({ id, name: `server ${id}` })), last);
      const { taken } = await read(known, page, { keep: round % 4 !== 3 });
      const unknown = new Set(now.filter((id) => !shown.has(id)));
      expect(taken.map((one) => (one as { id: unknown }).id)).toEqual([
        ...unknown,
        ...(round === 0 ? [last.id] : []),
      ]);
      if (round % 4 !== 3) shown = new Set(now);
    }
  });
});

describe('a changed byte', () => {
  const record = fc.dictionary(fc.constantFrom('account', 'id', 'é', '},{"id"', 'nics'), fc.jsonValue());
  const places = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 });

  async function expectNoneMissed(
    servers: readonly object[],
    changes: readonly (readonly [number, number])[],
  ) {
    const known = createKnownRecords();
    const page = pageOf(...servers);
    await readTwice(known, page);
    for (const [place, byte] of changes) page[place % page.length] = byte;
    const fresh = await createPageParser((one) => one)(Buffer.from(page));
    expect((await read(known, page)).parsed).toEqual(fresh);
  }

  it('is never missed: what is known makes no difference to what is read', async () => {
    await fc.assert(fc.asyncProperty(fc.array(record, { minLength: 2 }), places, expectNoneMissed), {
      numRuns: 200,
    });
  });

  it('is never missed in a run of records', async () => {
    await fc.assert(
      fc.asyncProperty(places, (changes) => expectNoneMissed(fleet, changes)),
      { numRuns: 200 },
    );
  });
});
