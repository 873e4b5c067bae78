import { describe, expect, it } from 'vitest';
import { createHostJoin } from '../../src/inventory/host-join.ts';
import type { ToldHost } from '../../src/inventory/hosts.ts';
import type { PlacedHost } from '../../src/inventory/zone-names.ts';
import type { ListedHost } from '../../src/platform/host.ts';
import { createRandom } from '../../src/simulator/fleet/random.ts';

const place = { region: 'r', zone: 'z' };
const capacity = {
  isEnabled: true,
  cpus: 10,
  memory: 100,
  storage: 1000,
  cpuOvercommit: 8,
  memoryOvercommit: 1,
};

function listed(
  id: string,
  name: string,
  { zone = place.zone, ...more }: Partial<ListedHost> & { zone?: string } = {},
): PlacedHost {
  return { ...place, zone, host: { id, name, zoneId: 'z1', isUp: true, ...capacity, ...more } };
}

function told(id: string, name: string, more: Partial<ToldHost> = {}): ToldHost {
  return { ...place, id, name, isUp: true, sums: new Map([['running', [1, 2]]]), ...more };
}

function joinHosts(tells: readonly ToldHost[], lists: readonly PlacedHost[]) {
  return createHostJoin()(tells, lists).map(({ facts, sums }) => ({ ...facts, sums }));
}

describe('hosts from both sources', () => {
  it('are one where two of the list have the same name and place', () => {
    const hosts = joinHosts(
      [told('1', 'same'), told('2', 'same')],
      [
        listed('1', 'same'),
        listed('2', 'same', { isUp: false, isEnabled: false, cpus: 5, storage: undefined }),
      ],
    );
    expect(hosts).toEqual([
      {
        ...place,
        name: 'same',
        isUp: false,
        sums: new Map([['running', [2, 4]]]),
        capacity: { ...capacity, isEnabled: false, cpus: 15, memory: 200 },
      },
    ]);
  });

  it('are not joined by a name that two of the list have in different places', () => {
    const hosts = joinHosts(
      [told('', 'twin', { zone: '' })],
      [listed('1', 'twin'), listed('2', 'twin', { zone: 'y' })],
    );
    expect(hosts.map(({ zone, sums }) => [zone, sums.size])).toEqual([
      ['', 1],
      ['y', 0],
      ['z', 0],
    ]);
  });

  it('are joined by name where servers know neither the id of their host nor its zone', () => {
    const hosts = joinHosts([told('', 'a', { zone: '' })], [listed('1', 'a'), listed('2', 'b')]);
    expect(hosts.map(({ name, zone, sums }) => [name, zone, sums.size])).toEqual([
      ['a', 'z', 1],
      ['b', 'z', 0],
    ]);
  });

  it('take the word of servers on who is up where the list has none', () => {
    const hosts = joinHosts(
      [told('1', 'a', { isUp: false }), told('2', 'b', { isUp: false }), told('3', 'c', { isUp: false })],
      [listed('1', 'a', { isUp: undefined }), listed('2', 'b'), listed('4', 'd', { isUp: undefined })],
    );
    expect(hosts.map(({ name, isUp }) => [name, isUp])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
      ['d', true],
    ]);
  });

  it('leave out a host that is neither listed nor named', () => {
    expect(joinHosts([told('9', '')], [listed('1', 'a')]).map(({ name }) => name)).toEqual(['a']);
  });
});

describe('hosts that were joined before', () => {
  it('are the same objects while the same is said of them, whatever their servers do', () => {
    const join = createHostJoin();
    const hosts = [listed('1', 'a'), listed('2', 'b')];
    const [a, b] = join([told('1', 'a')], hosts);
    const [after, other] = join(
      [told('1', 'a', { sums: new Map([['running', [5, 5]]]) }), told('2', 'b')],
      [{ ...hosts[0]! }, listed('2', 'b', { isEnabled: false })],
    );
    expect(after!.facts).toBe(a!.facts);
    expect(after!.sums).toEqual(new Map([['running', [5, 5]]]));
    expect(other!.facts).not.toBe(b!.facts);
    expect(other!.facts.capacity?.isEnabled).toBe(false);
  });

  it('have the same object for a state while its numbers are the same, also where two sources add up to them', () => {
    const join = createHostJoin();
    const statesOf = (stopped: number) =>
      join(
        ['1', '2'].map((id) =>
          told(id, 'a', {
            sums: new Map([
              ['running', [1]],
              ['stopped', [stopped]],
            ]),
          }),
        ),
        [],
      )[0]!.states;
    const [before, after] = [statesOf(3), statesOf(4)];
    expect(after[0]).toBe(before[0]);
    expect([before, after].map((states) => states.map(({ numbers }) => numbers))).toEqual([
      [[2], [6]],
      [[2], [8]],
    ]);
  });

  it('are joined as if there had been none before, whoever comes, goes and changes', () => {
    const join = createHostJoin();
    const random = createRandom(20);
    const { pick } = random;
    const someNames = () => Array.from({ length: random.below(6) }, () => pick(['a', 'b', 'c', 'd', 'e']));
    for (let round = 0; round < 300; round += 1) {
      const tells = someNames().map((name) =>
        told(pick([name, '']), pick([name, '']), { isUp: random.chance(0.8), zone: pick(['z', 'y']) }),
      );
      const lists = [...new Set(someNames())].map((id) =>
        listed(id, pick([id, 'twin']), {
          ...pick([{}, { isUp: false }, { isUp: undefined }]),
          zone: pick(['z', 'y']),
        }),
      );
      expect(join(tells, lists)).toEqual(createHostJoin()(tells, lists));
    }
  });
});
