import { describe, expect, it } from 'vitest';
import type { Suspicion, Telling } from '../../src/platform/suspicion.ts';
import { createSuspicionMemory, toldInFull } from '../../src/platform/suspicion.ts';
import { readWholePage } from '../../src/platform/whole-page.ts';

type Record = { readonly id: string; mark: number; readonly telling: Telling };

const whole = (id: string): Record => ({ id, mark: 0, telling: toldInFull });
const lacksHost = (id: string): Record => ({
  id,
  mark: 0,
  telling: { ...toldInFull, hostId: 'h', lacksHost: true },
});
const lacksProject = (id: string): Record => ({
  id,
  mark: 0,
  telling: { ...toldInFull, lacksProject: true },
});

/** Reads a page whose attempts bring these records, one after the other. */
async function read(attempts: readonly (readonly Record[])[]) {
  const doubts: (readonly Suspicion[])[] = [];
  const left = [...attempts];
  const ask = async () => ({ records: left.shift()!, limit: 7, total: attempts.length - left.length });
  const page = await readWholePage(ask, createSuspicionMemory(), {
    onDoubt: (lacks) => doubts.push(lacks),
  }).catch((error: unknown) => error);
  return { page, doubts, asked: attempts.length - left.length };
}

describe('a page', () => {
  it('that is told in full is asked for once', async () => {
    expect(await read([[whole('a'), whole('b')], []])).toEqual({
      page: { records: [whole('a'), whole('b')], limit: 7, total: 1 },
      doubts: [],
      asked: 1,
    });
  });

  it('that is told by half is asked for again, and takes each record from the attempt that told it in full', async () => {
    const told = await read([[lacksHost('a'), whole('b')], [whole('a'), lacksProject('b')], []]);
    expect(told).toEqual({
      page: { records: [whole('a'), whole('b')], limit: 7, total: 2 },
      doubts: [['host']],
      asked: 2,
    });
  });

  it('that lacks the same twice is believed', async () => {
    const told = await read([[lacksHost('a')], [lacksHost('a')], []]);
    expect(told).toMatchObject({ page: { records: [lacksHost('a')] }, asked: 2 });
  });

  it('may be whole at the fifth attempt', async () => {
    const told = await read([...['a', 'b', 'c', 'd'].map((id) => [lacksHost(id)]), [whole('e')], []]);
    expect(told).toMatchObject({ page: { records: [whole('e')], total: 5 }, asked: 5 });
    expect(told.doubts).toHaveLength(4);
  });

  it('that lacks something else each time is a failure after the fifth', async () => {
    const told = await read([
      ...['a', 'b', 'c', 'd'].map((id) => [lacksHost(id)]),
      [lacksHost('e'), lacksProject('f')],
      [],
    ]);
    expect(told).toMatchObject({
      page: {
        reason: 'malformed',
        operation: 'list_servers',
        message: 'GET /servers: 5 answers lacked the host and project of some servers, each time of others',
      },
      asked: 5,
    });
  });

  it('is asked for again though nobody listens to why', async () => {
    const attempts = [[lacksHost('a')], [whole('a')]];
    const ask = async () => ({ records: attempts.shift()!, limit: undefined, total: undefined });
    expect((await readWholePage(ask, createSuspicionMemory())).records).toEqual([whole('a')]);
  });
});
