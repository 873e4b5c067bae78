import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
