import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCounting } from '../../src/inventory/counting.ts';
import { foldEntries } from '../../src/inventory/fold.ts';
import { createLedger } from '../../src/inventory/ledger.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { renderBlock, renderHeader, type Format } from '../../src/metrics/exposition.ts';
import { formatNumber } from '../../src/metrics/lines.ts';
import type { Family, Sample } from '../../src/metrics/family.ts';
import { fleetBreakdowns, fleetFamilies, fleetMeasures } from '../../src/metrics/fleet.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { parseExposition } from '../support/exposition.ts';

function family(labels: readonly string[]): Family<readonly Sample[]> {
  return {
    name: 'cloud_test',
    help: 'A "test"\nwith \\.',
    type: 'gauge',
    labels,
    samples: (samples) => samples,
  };
}

function render(samples: readonly Sample[], labels: readonly string[], format: Format = 'text'): string {
  const one = family(labels);
  const { chunks } = renderBlock(one, samples);
  const end = format === 'openmetrics' ? '# EOF\n' : '';
  return Buffer.concat([renderHeader(one, format), ...chunks]).toString() + end;
}

const anyText = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());

const countingSettings = {
  breakdowns: fleetBreakdowns,
  measures: fleetMeasures,
  hostMeasures: [],
  problems: { limit: 10, stuckAfterMs: 0, expiringWithinMs: 0 },
};

describe('the exposition', () => {
  it.each(['text', 'openmetrics'] as const)('brings any label value back as it was, as %s', (format) => {
    fc.assert(
      fc.property(anyText, anyText, fc.double(), (a, b, value) => {
        const text = render([[[a, b], value]], ['first', 'second'], format);
        const [sample] = parseExposition(text, format === 'openmetrics').of('cloud_test');
        expect(sample?.labels).toEqual({ first: a, second: b });
        expect(sample?.value).toEqual(value === 0 ? sample?.value : value);
      }),
    );
  });

  it('escapes quotes, backslashes and newlines, and nothing else', () => {
    const text = render([[['a"b\\c\nd\te{}=,'], 1]], ['label']);
    expect(text).toContain('cloud_test{label="a\\"b\\\\c\\nd\te{}=,"} 1\n');
  });

  it('writes HELP as each format wants it', () => {
    expect(renderHeader(family([]), 'text').toString()).toContain(
      '# HELP cloud_test A "test"\\nwith \\\\.\n',
    );
    expect(renderHeader(family([]), 'openmetrics').toString()).toContain(
      '# HELP cloud_test A \\"test\\"\\nwith \\\\.\n',
    );
    const counter = { name: 'x_total', help: 'X.', type: 'counter' };
    expect(renderHeader(counter, 'openmetrics').toString()).toBe('# HELP x X.\n# TYPE x counter\n');
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

describe('two servers', () => {
  const readServer = createServerReader([]);
  const record = { id: 'x', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };

  function fleetOf(servers: readonly Server[]): string {
    const counting = createCounting(countingSettings, { keepsServers: false });
    const ledger = createLedger({ withHosts: false });
    const reading = ledger.begin();
    for (const server of servers) reading.add(counting.count(server, 0));
    reading.keep({ left: [], everyone: () => [] });
    const snapshot = {
      cloud: 'one',
      extraLabels: [],
      ...foldEntries(ledger.entries(), { limit: 1000, breakdowns: fleetBreakdowns.length }),
      bytesPer: { memory: 1, disk: 1 },
    } as unknown as Snapshot;
    return fleetFamilies
      .flatMap((one) => [renderHeader(one, 'text'), ...renderBlock(one, snapshot).chunks])
      .join('');
  }

  it('share a series only if all their labels are the same, whatever these contain', () => {
    const tricky = fc.string({ unit: fc.constantFrom(',', ':', '"', '1', '2', 'b', '\\', '\0') });
    const place = fc.record({ zone: tricky, project: tricky, region: tricky, status: tricky });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 6 }), (places) => {
        const servers = places.map((one) => readServer({ ...record, ...one }) as Server);
        const parsed = parseExposition(fleetOf(servers));
        const distinct = new Set(
          places.map((one) => JSON.stringify([one.zone, one.project, one.region, one.status])),
        );
        expect(parsed.of('cloud_servers')).toHaveLength(distinct.size);
        expect(parsed.sum('cloud_servers')).toBe(places.length);
      }),
    );
  });

  it('with commas and colons in their names stay two series', () => {
    const names = [
      { zone: '1,project:2', project: '3' },
      { zone: '1', project: '2,project:3' },
    ];
    const servers = names.map((one) => readServer({ ...record, ...one }) as Server);
    expect(parseExposition(fleetOf(servers)).of('cloud_servers')).toHaveLength(2);
  });

  it('with halves of surrogate pairs in their names never make one series twice', () => {
    const servers = ['\ud800', '\ud801'].map((zone) => readServer({ ...record, zone }) as Server);
    expect(parseExposition(fleetOf(servers)).sum('cloud_servers')).toBe(2);
  });
});
