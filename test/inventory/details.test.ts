import { describe, expect, it } from 'vitest';
import { detailsOf } from '../../src/inventory/details.ts';
import type { Plain } from '../../src/platform/plain-server.ts';
import { toldInFull } from '../../src/platform/suspicion.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';

const plainOf = (id: string, version = 1): Plain => ({
  id,
  mark: 0,
  telling: toldInFull,
  hostId: 'h1',
  projectId: 'p1',
  version,
  changedAt: 0,
  facts: 'running',
});

const knownOf = (ids: readonly string[]) => ids.map((id) => ({ id, plain: plainOf(id) }));

/** What a table by id would give. */
const byId = (listed: readonly Plain[], known: ReturnType<typeof knownOf>) =>
  listed.map(({ id }) => known.find((one) => one.id === id));

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_none, index) => `server-${from + index}`);

describe('what is known of each row', () => {
  const known = knownOf(numbered(0, 100));
  const before = numbered(0, 100);

  it.each([
    ['as before', before],
    ['in reverse', before.toReversed()],
    ['with new ones in front', [...numbered(200, 280), ...before]],
    ['with new ones behind', [...before, ...numbered(200, 280)]],
    ['without a few', before.filter((_id, row) => row % 3 !== 0)],
    ['without more in a row than are looked through', [...numbered(0, 10), ...numbered(80, 100)]],
    ['with the last one first', [before.at(-1)!, ...before.slice(0, -1)]],
    ['with the first one last', [...before.slice(1), before[0]!]],
    ['of nobody known', numbered(200, 280)],
    ['of nobody', []],
  ])('is found in a list %s', (_words, ids) => {
    const listed = ids.map((id) => plainOf(id));
    expect(detailsOf(listed, known)).toEqual(byId(listed, known));
  });

  it('is found in a long list in another order, too', () => {
    const ids = numbered(0, 4000);
    const many = knownOf(ids);
    const listed = ids.map((_id, row) => plainOf(`server-${(row * 1237) % 4000}`));
    expect(detailsOf(listed, many)).toEqual(listed.map(({ id }) => many[Number(id.slice(7))]));
  });

  it('is found wherever servers come, go and move', () => {
    const random = createRandom(7, 0xde7a);
    for (let turn = 0; turn < 300; turn += 1) {
      const ids = numbered(0, 60 + random.below(60)).filter(() => random.chance(0.9));
      for (let moves = random.below(20); moves > 0; moves -= 1)
        ids.splice(random.below(ids.length), 0, ...ids.splice(random.below(ids.length), 1 + random.below(3)));
      const listed = ids.map((id) => plainOf(id));
      expect(detailsOf(listed, known)).toEqual(byId(listed, known));
    }
  });
});

describe('what the list told of a server', () => {
  it('is kept once: that of the latest list, where both are equal', () => {
    const [listed] = [plainOf('a')];
    const [detail] = detailsOf([listed], knownOf(['a']));
    expect(detail!.plain).toBe(listed);
  });

  it('is kept as it was where it has changed, for that is how a change is noticed', () => {
    const known = knownOf(['a', 'b']);
    const [b, a] = detailsOf([plainOf('b', 2), plainOf('a', 2)], known);
    expect([a!.plain.version, b!.plain.version]).toEqual([1, 1]);
  });
});
