import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNumber, renderHeader } from '../../src/metrics/exposition.ts';
import { parseExposition } from '../support/exposition.ts';
import { labelled, snapshotOf, sumsByState, sumsOf, textOf, viewOf } from './hand-made.ts';

/** Of any letters, and of those that a format, a separator or a careless program could stumble over. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc.string({ unit: fc.constantFrom(',', '"', '\\', '\n', '\0', '=', '}', ' ', '1', 'ü', '云', '🙂') }),
);
const anyPlace = fc.tuple(anyName, anyName, anyName, anyName, anyName, anyName);

describe('the exposition', () => {
  it.each(['text', 'openmetrics'] as const)(
    'has one series for each set of names, whatever these contain, and brings them back, as %s',
    async (format) => {
      const selector = (place: readonly string[]) => JSON.stringify(place);
      const somePlaces = fc.uniqueArray(anyPlace, { minLength: 1, maxLength: 8, selector });
      await fc.assert(
        fc.asyncProperty(anyName, somePlaces, async (cloud, places) => {
          const ones = places.map(() => 1);
          const status = labelled(
            { cloud_servers: ones },
            places.map((place) => [...place, place[0], 'running']),
          );
          const state = sumsByState(places.map((place) => [...place, 'running']));
          const snapshot = snapshotOf({ cloud, extraLabels: ['team'], sums: sumsOf({ status, state }) });
          const parsed = parseExposition(await textOf([viewOf(snapshot)], format), format === 'openmetrics');
          for (const name of ['cloud_servers', 'cloud_servers_gpu', 'cloud_servers_disks']) {
            const told = parsed.of(name).map(({ labels }) => {
              const { region, zone, hypervisor, project_domain, project, team } = labels;
              expect(labels['cloud']).toBe(cloud);
              return [region, zone, hypervisor, project_domain, project, team];
            });
            expect(told).toEqual(places);
          }
        }),
      );
    },
  );

  it('writes HELP, TYPE and UNIT as each format wants it', () => {
    const family = { name: 'x_seconds_total', help: 'A "test"\nwith \\.', type: 'counter' };
    expect(renderHeader(family, 'text').toString()).toBe(
      '# HELP x_seconds_total A "test"\\nwith \\\\.\n# TYPE x_seconds_total counter\n',
    );
    expect(renderHeader(family, 'openmetrics').toString()).toBe(
      '# HELP x_seconds A \\"test\\"\\nwith \\\\.\n# TYPE x_seconds counter\n# UNIT x_seconds seconds\n',
    );
  });

  it('writes numbers as Prometheus reads them', () => {
    const numbers = [1, 0.1, 1e21, NaN, Infinity, -Infinity].map(formatNumber);
    expect(numbers).toEqual(['1', '0.1', '1e+21', 'NaN', '+Inf', '-Inf']);
  });

  it.each([0, 7, 10, 4096, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1.5, -3, 1e300])(
    'writes %d digit by digit',
    async (number) => {
      const status = labelled({ cloud_servers: [number] }, [['r', 'z', 'kvm', 'd', 'p', 'ready', 'stopped']]);
      const lines = (await textOf([viewOf(snapshotOf({ sums: sumsOf({ status }) }))])).split('\n');
      expect(lines.find((line) => line.startsWith('cloud_servers{'))?.split('} ')[1]).toBe(String(number));
    },
  );
});
