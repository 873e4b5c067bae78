import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { states } from '../../src/platform/state.ts';
import { formatNumber, renderHeader } from '../../src/metrics/exposition.ts';
import { parseExposition, type ParsedSample } from '../support/exposition.ts';
import { serverOf, snapshotOf, textOf, viewOf } from './hand-made.ts';

const anyText = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
/** Letters that a format, a separator or a careless program could stumble over. */
const trickyText = fc.string({
  unit: fc.constantFrom(',', '"', '\\', '\n', '\0', '=', '}', ' ', '1', 'ü', '云', '🙂'),
});
const anyName = fc.oneof(anyText, trickyText);

const placeLabels = ['region', 'zone', 'hypervisor', 'project_domain', 'project'];

function valuesOf({ labels }: ParsedSample, names: readonly string[]): string[] {
  return names.map((name) => labels[name]!);
}

describe('the exposition', () => {
  it.each(['text', 'openmetrics'] as const)(
    'has one series for each set of names, whatever these contain, and brings them back, as %s',
    async (format) => {
      const place = fc.tuple(anyName, anyName, anyName, anyName, anyName, anyName);
      const places = fc.uniqueArray(place, {
        minLength: 1,
        maxLength: 8,
        selector: (one) => JSON.stringify(one),
      });
      await fc.assert(
        fc.asyncProperty(anyName, places, async (cloud, places) => {
          const statuses = places.map(
            (place) => ({ place, state: 'running', status: place[0], servers: 1 }) as const,
          );
          const groups = places.map((place) => ({ place, state: 'running', sums: [1, 2, 3, 4, 5] }) as const);
          const snapshot = snapshotOf({ cloud, extraLabels: ['team'], statuses, groups });
          const parsed = parseExposition(await textOf([viewOf(snapshot)], format), format === 'openmetrics');
          for (const name of ['cloud_servers', 'cloud_servers_gpu', 'cloud_servers_disks']) {
            const samples = parsed.of(name);
            expect(samples.map((sample) => valuesOf(sample, [...placeLabels, 'team']))).toEqual(places);
            expect(samples.every(({ labels }) => labels['cloud'] === cloud)).toBe(true);
          }
        }),
      );
    },
  );

  it('brings back the names of single servers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          anyName.filter((id) => id !== ''),
          { maxLength: 8 },
        ),
        async (ids) => {
          const servers = ids.map((id) => serverOf({ id, name: `name of ${id}`, status: id, host: id }));
          const parsed = parseExposition(
            await textOf([viewOf(snapshotOf({ servers, exportsServers: true }))]),
          );
          const info = parsed
            .of('cloud_server_info')
            .map((sample) => valuesOf(sample, ['id', 'name', 'host']));
          expect(info).toEqual(servers.map(({ id, name, host }) => [id, name, host]));
          expect(parsed.of('cloud_server_vcpus')).toHaveLength(ids.length);
        },
      ),
    );
  });

  it('is whole where it is long: 29,000 lines', async () => {
    const groups = Array.from({ length: 5800 }, (_, index) => ({
      place: [
        'north',
        `zone-${index % 20}`,
        'kvm',
        'Default',
        `project-${index}${index === 3000 ? 'é'.repeat(70_000) : ''}`,
      ],
      state: states[index % states.length]!,
      sums: [index + 1, index, index, index, index],
    }));
    const text = await textOf([viewOf(snapshotOf({ groups, bytesPer: { memory: 1, disk: 1 } }))]);
    const lines = text.split('\n').filter((line) => line.startsWith('cloud_servers_'));
    const lineOf = (name: string, count: (index: number) => number) =>
      groups.map(({ place, state }, index) => {
        const [region, zone, hypervisor, domain, project] = place;
        const labels = `cloud="one",region="${region}",zone="${zone}",hypervisor="${hypervisor}",project_domain="${domain}",project="${project}",state="${state}"`;
        return `${name}{${labels}} ${count(index)}`;
      });
    expect(lines).toEqual([
      ...lineOf('cloud_servers_gpu', (index) => index + 1),
      ...['vcpus', 'memory_bytes', 'disk_bytes', 'disks'].flatMap((name) =>
        lineOf(`cloud_servers_${name}`, (index) => index),
      ),
    ]);
    expect(lines).toHaveLength(29_000);
  });

  it('writes HELP, TYPE and UNIT as each format wants it', () => {
    const family = { name: 'x_seconds_total', help: 'A "test"\nwith \\.', type: 'counter' };
    expect(renderHeader(family, 'text').toString()).toBe(
      '# HELP x_seconds_total A "test"\\nwith \\\\.\n# TYPE x_seconds_total counter\n',
    );
    expect(renderHeader(family, 'openmetrics').toString()).toBe(
      '# HELP x_seconds A \\"test\\"\\nwith \\\\.\n# TYPE x_seconds counter\n# UNIT x_seconds seconds\n',
    );
  });

  it.each([
    [1, '1'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});
