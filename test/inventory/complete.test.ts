import { describe, expect, it } from 'vitest';
import { completeRecords, lacksOfAnswer, type Completing } from '../../src/inventory/complete.ts';
import { beginNames, noNames } from '../../src/inventory/names.ts';
import type { Fresh, Row } from '../../src/inventory/row.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';

const read = createServerReader(['cloud_env']);
const minuteMs = 60_000;

const whole = {
  host_id: 'h1',
  host: 'kvm-1',
  zone: 'zone-1',
  region: 'region-1',
  tenant_id: 'p1',
  project: 'web',
  project_domain: 'Default',
  update_version: 1,
  updated_at: '2026-11-15T00:00:00Z',
  vcpu_count: 1,
  vmem_size: 1,
  disk: 10,
  disk_count: 1,
};
const noDisk = { disk: 0, disk_count: 0 };
const device = { is_gpu: true, isolated_devices: [{ id: 'd1', dev_type: 'GPU', model: 'T4' }] };
const noHost = { host: '', zone: '', region: '' };
const noProject = { project: '', project_domain: '' };

function serverOf(id: string, more: object = {}): Server {
  const server = read({ ...whole, id, ...more });
  if (typeof server === 'string') throw new Error(server);
  return server;
}

const print = { length: 1, first: 1, second: 1 };
const fresh = (id: string, more: object = {}): Fresh => ({ id, server: serverOf(id, more), print });
const row = (id: string, more: object = {}, kept?: Row['kept']): Row => ({
  id,
  server: serverOf(id, more),
  print: kept ? undefined : print,
  readAt: 0,
  at: undefined,
  kept,
});

/** Completes what a list told, on what was known; notes who is asked for again. */
async function complete(
  told: readonly Fresh[],
  known: readonly Row[] = [],
  more: {
    /** What the second answer has; undefined if it does not come. */
    again?: (ids: readonly string[]) => readonly Fresh[] | undefined;
    readAt?: number;
    maxAsked?: number;
  } = {},
) {
  const before = new Map(known.map((one) => [one.id, one]));
  const names = beginNames(noNames);
  for (const { server } of [...known, ...told]) names.told(server);
  const asked: (readonly string[])[] = [];
  const waits: number[] = [];
  const toldIds = new Set(told.map(({ id }) => id));
  const input: Completing = {
    names,
    before: (id) => before.get(id),
    unchanged: known.filter(({ id }) => !toldIds.has(id)),
    readAt: more.readAt ?? 1000,
    maxAsked: more.maxAsked ?? 500,
    wait: async (ms) => void waits.push(ms),
    async askAgain(ids) {
      asked.push(ids);
      const answer = more.again?.(ids);
      return answer && new Map(answer.map((one) => [one.id, one]));
    },
  };
  const rows = await completeRecords(told, input);
  return { rows, asked, waits, names };
}

describe('what a record lacks', () => {
  it.each([
    ['nothing', {}, undefined, []],
    ['its host', noHost, undefined, ['host']],
    ['its zone alone', { zone: '' }, undefined, ['host']],
    ['its project', noProject, undefined, ['project']],
    ['its domain alone', { project_domain: '' }, undefined, ['project']],
    ['a disk, being new on a host', noDisk, undefined, ['disk']],
    ['no disk, being new without a host', { ...noDisk, ...noHost, host_id: '' }, undefined, []],
    ['a disk that it had', noDisk, {}, ['disk']],
    ['a disk that it had at another version', { ...noDisk, update_version: 2 }, {}, ['disk']],
    ['no disk, as it had none', noDisk, noDisk, []],
    ['a device that it had', {}, device, ['device']],
    ['all', { ...noHost, ...noProject, ...noDisk }, device, ['host', 'project', 'disk', 'device']],
  ])('is %s', (_words, more, before, lacks) => {
    const known = before && row('a', before);
    expect([...lacksOfAnswer([fresh('a', more)], () => known)]).toEqual(lacks);
  });

  it('is not looked for in rows and in what cannot be counted', () => {
    const records = [row('a', noHost), { id: 'b', rejection: 'bad_number' } as const];
    expect([...lacksOfAnswer(records, () => undefined)]).toEqual([]);
  });
});

describe('names', () => {
  it('of a host and a project are those of other records, and nobody is asked again', async () => {
    const { rows, asked, names } = await complete([fresh('a', { ...noHost, ...noProject }), fresh('b')]);
    expect(asked).toEqual([]);
    const { server } = rows.get('a')!;
    expect(names.hostOf(server)).toMatchObject({ host: 'kvm-1', zone: 'zone-1', region: 'region-1' });
    expect(names.projectOf(server)).toMatchObject({ project: 'web', projectDomain: 'Default' });
  });

  it('that nobody knows are asked for once, after a second', async () => {
    const again = () => [fresh('a')];
    const { rows, asked, waits, names } = await complete([fresh('a', noHost)], [], { again });
    expect([asked, waits]).toEqual([[['a']], [1000]]);
    expect(names.hostOf(rows.get('a')!.server).host).toBe('kvm-1');
  });

  it('that the second answer lacks as well stay empty, and nothing fails', async () => {
    const again = () => [fresh('a', noHost)];
    const { rows, names } = await complete([fresh('a', noHost)], [], { again });
    expect(names.hostOf(rows.get('a')!.server).host).toBe('');
  });
});

describe('disks and devices', () => {
  it.each([
    ['disks', {}, noDisk, 'disk', { disk: 10, disks: 1 }],
    ['devices', device, {}, 'device', { isGpu: true, devices: [{ id: 'd1', type: 'GPU', model: 'T4' }] }],
    ['extra labels', { cloud_env: 'onpremise' }, {}, 'label', { extra: ['onpremise'] }],
    ['addresses', { ips: '10.0.0.1' }, {}, 'label', { ips: '10.0.0.1' }],
  ])(
    '%s of the same version are kept, and read again at the next list',
    async (_what, had, told, what, kept) => {
      const { rows } = await complete([fresh('a', told)], [row('a', had)]);
      expect(rows.get('a')).toMatchObject({ server: kept, kept: { [what]: 1000 }, print: undefined });
    },
  );

  it.each([
    ['at the last moment of half an hour', 30 * minuteMs - 1, 10],
    ['no longer after half an hour', 30 * minuteMs, 0],
  ])('are kept %s', async (_words, forMs, disk) => {
    const known = row('a', {}, { disk: 5000 });
    const again = () => [fresh('a', noDisk)];
    const { rows } = await complete([fresh('a', noDisk)], [known], { readAt: 5000 + forMs, again });
    expect(rows.get('a')!.server.disk).toBe(disk);
    expect(rows.get('a')!.kept).toEqual(disk === 0 ? undefined : { disk: 5000 });
  });

  it('are there again when they are told again', async () => {
    const { rows } = await complete([fresh('a', { disk: 20 })], [row('a', {}, { disk: 5000 })]);
    expect(rows.get('a')).toMatchObject({ server: { disk: 20 }, kept: undefined, print });
  });

  it('of another version are asked for with witnesses, and true if these have theirs', async () => {
    const told = [fresh('a', { ...noDisk, update_version: 2 })];
    const again = (ids: readonly string[]) => ids.map((id) => (id === 'a' ? told[0]! : fresh(id)));
    const { rows, asked } = await complete(told, [row('a'), row('b'), row('c', noDisk)], { again });
    expect(asked).toEqual([['a', 'b']]);
    expect(rows.get('a')).toMatchObject({ server: { disk: 0, disks: 0 }, kept: undefined, print });
  });

  it('of another version stay for half an hour if a witness lacks its own', async () => {
    const told = fresh('a', { ...noDisk, update_version: 2 });
    const again = (ids: readonly string[]) => ids.map((id) => (id === 'a' ? told : fresh(id, noDisk)));
    const known = [row('a'), row('b')];
    const { rows } = await complete([told], known, { again });
    expect(rows.get('a')).toMatchObject({ server: { disk: 10, version: 2 }, kept: { disk: 1000 } });
    const later = await complete([told], [rows.get('a')!, row('b')], { again, readAt: 31 * minuteMs });
    expect(later.rows.get('a')).toMatchObject({ server: { disk: 0 }, kept: undefined });
  });

  it('of another version are as they are told where there is no witness', async () => {
    const told = fresh('a', { ...noDisk, update_version: 2 });
    const { rows } = await complete([told], [row('a')], { again: () => [told] });
    expect(rows.get('a')).toMatchObject({ server: { disk: 0 }, kept: undefined });
  });

  it('stay if the second answer does not come', async () => {
    const told = fresh('a', { ...noDisk, update_version: 2 });
    const { rows } = await complete([told], [row('a')]);
    expect(rows.get('a')).toMatchObject({ server: { disk: 10 }, kept: { disk: 1000 } });
  });

  it('are those of the answer that has them, the first or the second', async () => {
    const both = { ...device, update_version: 2 };
    const told = fresh('a', { ...both, ...noDisk });
    const again = () => [fresh('a', { update_version: 2 })];
    const { rows } = await complete([told], [row('a', device)], { again });
    expect(rows.get('a')!.server).toMatchObject({ disk: 10, isGpu: true });
  });

  it('of a new server on a host are asked for, and it is told as it is if there are none', async () => {
    const again = () => [fresh('a')];
    expect((await complete([fresh('a', noDisk)], [], { again })).rows.get('a')!.server.disk).toBe(10);
    const none = await complete([fresh('a', noDisk)], [], { again: () => [fresh('a', noDisk)] });
    expect(none.rows.get('a')).toMatchObject({ server: { disk: 0 }, kept: undefined });
  });
});

describe('who is asked for again', () => {
  it('are those with a row first, at most a page, and ten witnesses beside', async () => {
    const told = ['n1', 'n2', 'k1', 'k2'].map((id) => fresh(id, { ...noDisk, update_version: 2 }));
    const witnesses = Array.from({ length: 15 }, (_, index) => row(`w${index}`));
    const { asked } = await complete(told, [row('k1'), row('k2'), ...witnesses], { maxAsked: 3 });
    expect(asked[0]!.slice(0, 3)).toEqual(['k1', 'k2', 'n1']);
    expect(asked[0]!.slice(3)).toEqual(witnesses.slice(0, 10).map(({ id }) => id));
  });

  it('are no witnesses that live on something kept, or that a filter cannot name', async () => {
    const told = fresh('a', { ...noDisk, update_version: 2 });
    const { asked } = await complete([told], [row('a'), row('b', {}, { disk: 1 }), row('ä'), row('c')]);
    expect(asked).toEqual([['a', 'c']]);
  });
});
