import { expect, it } from 'vitest';
import type { ListFacts } from '../../src/inventory/snapshot.ts';
import { collectionTables } from '../../src/metrics/collection.ts';
import { createSelfMetrics, selfFamilies } from '../../src/metrics/self.ts';
import { Failure } from '../../src/transport/failure.ts';
import { snapshotOf, textOf, viewOf } from './hand-made.ts';

const at = (time: string) => Date.parse(`2026-01-${time}Z`);

const list: ListFacts = {
  failure: undefined,
  reported: 7,
  received: 6,
  rejected: new Map([
    ['not_an_object', 0],
    ['no_id', 1],
  ]),
  pages: 2,
  listedAt: at('01T00:00:00.5'),
};
const refused: ListFacts = {
  failure: new Failure('forbidden', 'no', { operation: 'list_hosts' }),
  reported: undefined,
  received: undefined,
  rejected: new Map(),
  pages: undefined,
  listedAt: undefined,
};

it('the exposition of a collection is what it was', async () => {
  const snapshot = snapshotOf({
    projects: 4,
    detailsAt: at('01T00:00:00'),
    lists: new Map([
      ['servers', list],
      ['hosts', refused],
      ['zones', { ...list, rejected: new Map() }],
    ]),
  });
  const token = { expiresAt: at('02T00:01:00'), clockSkewMs: 60_000, passwordExpiresAt: at('31T00:00:00') };
  const view = viewOf(snapshot, {
    durationSeconds: 1.5,
    lastSuccessAt: at('01T00:01:00'),
    scope: { scope: 'system', isConfigured: false, why: '' },
    token: token as never,
    incomplete: { host: 2, project: 0, disk: 0, device: 0, loss: 0 },
  });
  const nothingKnown = viewOf(undefined, { cloud: 'two' });
  const names = new Set(collectionTables.flatMap(({ columns }) => Object.keys(columns)));
  const lines = (await textOf([view, nothingKnown]))
    .split('\n')
    .filter((line) => names.has(/^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? ''));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/collection.prom');
});

it('the families of the exporter itself are all there from the start, with the labels that are said of them', async () => {
  const self = createSelfMetrics(
    { version: '1', revision: '', nodeVersion: 'v20' },
    { shard: { ordinal: 0, total: 1 }, externalUrl: 'https://exporter.example.com', isBare: true },
  );
  self.observe('one');
  const families = (await self.families()).map(({ name, values }) => {
    const labels = new Set(values.flatMap((value) => Object.keys(value.labels)));
    labels.delete('le');
    return [name, [...labels].toSorted()];
  });
  const said = selfFamilies.map(({ name, labels }) => [name, [...labels].toSorted()]);
  expect(Object.fromEntries(families)).toEqual(Object.fromEntries(said));
});
