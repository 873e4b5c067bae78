import { describe, expect, it } from 'vitest';
import { forgetRefusals, nothingKnown, type Known } from '../../src/inventory/known.ts';
import { createGroups, groupRows } from '../../src/inventory/groups.ts';
import * as naming from '../../src/inventory/names.ts';
import type { Group, Row } from '../../src/inventory/row.ts';
import { readHost } from '../../src/platform/side-records.ts';
import { createSlices } from '../../src/yield-to-event-loop.ts';
import { serverOf } from '../metrics/hand-made.ts';

const slices = createSlices(() => Promise.resolve());
const whole = {
  host_id: 'h',
  host: 'one',
  zone: 'z',
  region: 'r',
  tenant_id: 't',
  project: 'p',
  project_domain: 'd',
};
const server = (more: object = {}) => serverOf({ ...whole, ...more });
const listed = (more: object = {}) => readHost({ id: 'h', name: 'two', host_type: 'hypervisor', ...more })!;
const nobodys = { host_id: '', tenant_id: '', host: 'x', project: 'x' };
const nowhere = () => ({ zone: '', region: '' });
const moved = () => ({ zone: 'y', region: 'q' });

function learned(...records: object[]): naming.Names {
  const names = naming.copyNames();
  for (const record of records) naming.learnFrom(names, server(record));
  return names;
}

describe('a name', () => {
  it.each<[string, object[], object, object]>([
    ['as its record says, where nobody else does', [], { host: 'one' }, { project: 'p' }],
    ['that of its id', [{ host: 'new', project: 'q' }], { host: 'new' }, { project: 'q' }],
    ['the last word', [{}, { zone: 'y', project_domain: 'e' }], { zone: 'y' }, { projectDomain: 'e' }],
    ['none that is empty', [{}, { host: '', project: '' }], { host: 'one' }, { project: 'p' }],
    ['nobody else’s', [nobodys], { host: 'one' }, { project: 'p' }],
  ])('is %s', (_words, records, host, project) => {
    const names = learned(...records);
    expect(naming.hostOf(names, server())).toMatchObject(host);
    expect(naming.projectOf(names, server())).toMatchObject(project);
  });

  it.each([
    ['stays where it was', nowhere, 'z1', false, { host: 'two', zone: 'z', region: 'r' }],
    ['is where new places are', moved, 'z1', true, { zone: 'y', region: 'q' }],
    ['in another zone is there', moved, 'z2', false, { zone: 'y', region: 'q', zoneId: 'z2' }],
    ['in the same zone stays', moved, 'z1', false, { zone: 'z', region: 'r' }],
  ])('of a listed host %s', (_words, placeOf, zone_id, areNew, expected) => {
    const names = learned({});
    naming.learnFromHosts(names, [listed({ zone_id: 'z1' })], () => ({ zone: 'z', region: 'r' }), true);
    naming.learnFromHosts(names, [listed({ zone_id })], placeOf, areNew);
    expect(names.hosts.get('h')).toMatchObject(expected);
  });

  it('whose zone nobody named is looked up again; a host of nobody has one, too', () => {
    const names = naming.copyNames();
    naming.learnFromHosts(names, [listed({ zone_id: 'z1' })], nowhere, false);
    expect(names.hosts.get('h')).toMatchObject({ host: 'two', zone: '' });
    naming.learnFromHosts(names, [listed({ zone_id: 'z1' })], moved, false);
    expect(names.hosts.get('h')).toMatchObject({ zone: 'y' });
  });

  it('is news once', () => {
    const names = learned({});
    expect([names.hasNews, naming.copyNames(names).hasNews]).toEqual([true, false]);
    const again = naming.copyNames(names);
    naming.learnFrom(again, server());
    expect(again).toEqual({ ...names, hasNews: false });
  });

  it('lives as long as a server or a listed host has its id', async () => {
    const names = learned({}, { host_id: 'g', tenant_id: 's' }, { host_id: 'f' });
    const used = await naming.namesInUse(
      names,
      [{ server: server() }],
      [listed({ id: 'g' }), listed({ id: 'e' })],
      slices,
    );
    expect([[...used.hosts.keys()], [...used.projects.keys()], used.hasNews]).toEqual([
      ['g', 'h'],
      ['t'],
      false,
    ]);
  });

  it.each([
    [{ host_status: 'online', host_service_status: 'online' }, true],
    [{ host_status: 'offline', host_service_status: 'online' }, false],
    [{ host_status: 'online', host_service_status: 'offline' }, false],
    [{ host_status: 'online' }, true],
    [{ host_service_status: 'online' }, true],
    [{}, undefined],
    [{ host_status: 'offline', hypervisor: 'baremetal' }, undefined],
  ])('and whether its host is up: %o is %s', (record, expected) =>
    expect(naming.isHostUp(server(record))).toBe(expected),
  );
});

describe('numbers of rows', () => {
  const breakdowns = [
    { name: 'status', parts: ({ status }: { status: string }) => [[status]], measures: [] },
  ];
  const blank = { kind: 'row', print: undefined, readAt: 0, unsettled: undefined } as const;
  const row = (one = server(), group?: Group, host?: number): Row => {
    return { ...blank, id: one.id, server: one, group, host };
  };
  const number = async (rows: Row[], of: Known, names: naming.Names) =>
    groupRows(rows, of, { names, breakdowns, listed: undefined }, slices);
  const known: Known = { ...nothingKnown(), groups: createGroups() };

  it('are given to new ones, and to all where names have changed; the same stay the same row', async () => {
    const names = naming.copyNames();
    const other = server({ id: 'y', project: 'q', host_id: 'i' });
    const first = await number([row(), row(other)], known, names);
    expect(first.rows.map(({ group }) => group!.parts[0]![0]!.number)).toEqual([0, 1]);
    expect(first.rows[0]!.host).not.toBe(first.rows[1]!.host);
    const numbered = first.rows[0]!;
    const again = async (news: naming.Names) => (await number([numbered], known, news)).rows[0]!;
    expect(await again(names)).toBe(numbered);
    expect(await again({ ...names, hasNews: true })).toBe(numbered);
    expect((await again(learned({ host: 'new', project: 'new' }))).group!.parts[0]![0]!.number).toBe(2);
  });

  it('begin anew where most groups are of nobody', async () => {
    const names = naming.copyNames();
    const many = Array.from({ length: 2003 }, (_, at) => row(server({ tenant_id: '', project: `p${at}` })));
    const full = { ...nothingKnown(), groups: createGroups(), groupsInUse: 1 };
    const [one] = (await number(many, full, names)).rows;
    const { groups, rows } = await number([row(server(), one!.group, 7)], full, names);
    expect([groups.size, rows[0]!.group!.parts[0]![0]!.number, rows[0]!.host]).toEqual([1, 0, 1]);
    const kept = await number([row()], { ...full, groupsInUse: 3 }, names);
    expect(kept.groups === full.groups).toBe(true);
  });
});

it('what was refused is forgotten by a reload, and nothing else', () => {
  const ignored = { what: 'filter=id.in', remedy: 'in detail', until: Infinity } as const;
  const scope = { proven: 'domain', narrowed: undefined } as const;
  const nothing = nothingKnown();
  const refused: Known = { ...nothing, cursor: 'x', ignored, scope };
  expect(forgetRefusals(refused)).toEqual({
    ...nothing,
    groups: refused.groups,
    cursor: 'x',
  });
});
