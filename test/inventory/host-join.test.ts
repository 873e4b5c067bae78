import { describe, expect, it } from 'vitest';
import { joinHosts } from '../../src/inventory/host-join.ts';
import type { ToldHost } from '../../src/inventory/hosts.ts';
import type { PlacedHost } from '../../src/inventory/zone-names.ts';
import type { ListedHost } from '../../src/platform/host.ts';

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
