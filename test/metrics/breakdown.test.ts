import { describe, expect, it } from 'vitest';
import type { Group, Part } from '../../src/inventory/group.ts';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { brokenDownTable, type BrokenDown } from '../../src/metrics/breakdown.ts';
import { familiesOf } from '../../src/metrics/family.ts';

const place = ['north', 'a', 'kvm', 'Default', 'shop'];
const other = ['north', 'b', 'kvm', 'Default', 'shop'];

function group(status: string, state: Group['state'], at = place): Group {
  return { place: [...at], status, state, sums: [] };
}

function part(of: Group, values: string[], count: number): Part {
  return { group: of, values, count };
}

function tableOf(by: BrokenDown['by']) {
  return brokenDownTable(
    { name: 'cloud_things', help: 'Things.', labels: ['thing'], by, parts: () => [] },
    0,
  );
}

function samplesOf(by: BrokenDown['by'], parts: readonly Part[]): string[] {
  const snapshot = { cloud: 'c', extraLabels: [], parts: [parts] } as unknown as Snapshot;
  const [family] = familiesOf(tableOf(by));
  return [...family!.samples(snapshot)].map(
    ([[, , zone, , , , ...own], count]) => `${zone} ${own.join()} ${count}`,
  );
}

const running = group('running', 'running');
const ready = group('ready', 'stopped');
const halted = group('halted', 'stopped');
const elsewhere = group('running', 'running', other);

describe('what servers may have several of', () => {
  const parts = [
    part(halted, ['x'], 1),
    part(halted, ['y'], 2),
    part(ready, ['x'], 4),
    part(running, ['x'], 8),
    part(elsewhere, ['x'], 16),
    part(elsewhere, ['z'], 32),
  ];

  it.each([
    [
      'status',
      ['a halted,stopped,x 1', 'a halted,stopped,y 2', 'a ready,stopped,x 4', 'a running,running,x 8'],
    ],
    ['state', ['a stopped,x 5', 'a stopped,y 2', 'a running,x 8']],
    ['place', ['a x 13', 'a y 2']],
  ] as const)('is counted as one where the labels are the same, by %s', (by, ofPlace) => {
    const ofOther = by === 'status' ? 'b running,running,' : by === 'state' ? 'b running,' : 'b ';
    expect(samplesOf(by, parts)).toEqual([...ofPlace, `${ofOther}x 16`, `${ofOther}z 32`]);
  });

  it('leaves the parts as they are, for the next text', () => {
    const before = structuredClone(parts);
    samplesOf('place', parts);
    expect(parts).toEqual(before);
  });

  it('is the same row as before while its part is, so that its line is copied', () => {
    const rows = (snapshot: unknown) => [...tableOf('place').rows(snapshot as Snapshot)];
    const snapshot = { parts: [[part(elsewhere, ['x'], 1), part(elsewhere, ['z'], 2)]] };
    const [first, second] = rows(snapshot);
    expect(rows(snapshot)[0]).toBe(first);
    expect(rows(snapshot)[1]).toBe(second);
  });

  it('keeps values apart that hold what others are separated by', () => {
    const odd = [part(halted, ['x","y'], 1), part(ready, ['x'], 2), part(running, ['x","y'], 4)];
    expect(samplesOf('place', odd)).toEqual(['a x","y 5', 'a x 2']);
  });

  it('is nothing where nothing was counted', () => {
    expect(samplesOf('place', [])).toEqual([]);
  });
});
