import { describe, expect, it } from 'vitest';
import type { Fault } from '../simulator/faults.ts';
import { requestTimeoutMs } from '../faults/fault-clock.ts';
import { createGate } from '../support/gate.ts';
import { layoutOf, setUp, until } from './listing.ts';

const isAt = (offset: number) => (parameters: URLSearchParams) =>
  Number(parameters.get('offset') ?? 0) === offset;

describe('the pages of a list', () => {
  it('are asked for as many at once as allowed, after the first, which is read alone', async () => {
    const { cloud, list, asked, letArrive } = await setUp(600);
    const [first, others] = [createGate(), createGate()];
    cloud.hooks.beforePage = ({ offset }) => (offset === 0 ? first : others).passed;
    const listed = list({ concurrency: 3 });
    await until(() => asked().length === 1);
    await letArrive();
    expect(asked()).toEqual(['0+100']);
    first.open();
    await until(() => asked().length === 4);
    await letArrive();
    expect(asked().slice(1).toSorted()).toEqual(['180+100', '270+100', '90+100']);
    others.open();
    expect((await listed).received).toBe(600);
    expect(cloud.journal.mostAtOnce('list')).toBe(3);
  });

  it('are asked for from the beginning on where the layout of the list is known', async () => {
    const { cloud, list, asked } = await setUp(250);
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const listed = list({ concurrency: 3 }, { layout: layoutOf(250) });
    await until(() => asked().length === 3);
    gate.open();
    expect(await listed).toMatchObject({ received: 250, pages: 3 });
  });

  it('are of equal length where that lets all connections end together; the next list knows how long they may be', async () => {
    const { list, asked } = await setUp(250);
    const { received, layout } = await list({ concurrency: 3 }, { layout: layoutOf(248) });
    expect(asked().toSorted()).toEqual(['0+94', '170+94', '85+94']);
    expect([received, layout], 'and that there are two more').toEqual([250, layoutOf(250)]);
  });

  it.each<[string, Fault, string[]]>([
    ['half as many when the platform has too much to do', { kind: 'status', code: 429 }, ['360+100']],
    ['half as many when the platform fails', { kind: 'status', code: 503 }, ['360+100']],
    ['as many when a connection breaks', { kind: 'hangUp' }, ['360+100', '450+100', '540+100']],
  ])('are asked for %s', async (_words, fault, expected) => {
    const { cloud, list, asked, letArrive } = await setUp(710);
    const gate = createGate();
    const isFree = (offset: number) => [90, 180, 270].includes(offset);
    cloud.hooks.beforePage = async ({ offset }) => {
      if (!isFree(offset)) await gate.passed;
    };
    cloud.faults.set({ operation: 'list', where: isAt(0), times: 1, fault });
    const listed = list({ concurrency: 4 }, { layout: layoutOf(710) });
    // Four at once and the second attempt at the first of them, which is held.
    await until(() => asked().length === 5 + expected.length);
    await letArrive();
    expect(asked().slice(5).toSorted()).toEqual(expected);
    gate.open();
    expect((await listed).received).toBe(710);
  });

  it('are asked for as many at once as before when all goes well again', async () => {
    const { cloud, list, asked } = await setUp(710);
    const gate = createGate();
    let held = 0;
    cloud.hooks.beforePage = async ({ offset }) => {
      if (offset < 540) return;
      held += 1;
      await gate.passed;
    };
    cloud.faults.set({ operation: 'list', where: isAt(0), times: 1, fault: { kind: 'status', code: 503 } });
    const listed = list({ concurrency: 2 }, { layout: layoutOf(710) });
    await until(() => held === 2);
    gate.open();
    expect((await listed).received).toBe(710);
    expect(asked()).toHaveLength(9);
  });
});

describe('a page that is not answered in time', () => {
  it('is asked for in halves, and is not asked for again as it was', async () => {
    const { clock, cloud, list, asked } = await setUp(250);
    const hang = cloud.faults.set({
      operation: 'list',
      where: (parameters) => isAt(90)(parameters) && parameters.get('limit') === '100',
      fault: { kind: 'hang' },
    });
    const listed = list();
    await until(() => hang.hits === 1);
    await clock.advance(requestTimeoutMs);
    const { received, pages } = await listed;
    expect([received, pages]).toEqual([250, 4]);
    expect(asked().toSorted()).toEqual(['0+100', '135+55', '180+100', '90+100', '90+50']);
  });

  it('has all pages be smaller if it was the first', async () => {
    const { clock, cloud, list, asked } = await setUp(120);
    const hang = cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'hang' } });
    const listed = list();
    await until(() => hang.hits === 1);
    await clock.advance(requestTimeoutMs);
    expect((await listed).received).toBe(120);
    expect(asked()).toEqual(['0+100', '0+50', '45+50', '90+50']);
  });

  it('has fewer pages asked for at once', async () => {
    const { clock, cloud, list, asked, letArrive } = await setUp(710);
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const listed = list({ concurrency: 4 }, { layout: layoutOf(710) });
    await until(() => asked().length === 4);
    await clock.advance(requestTimeoutMs);
    await until(() => asked().length === 6);
    await letArrive();
    expect(asked()).toHaveLength(6);
    gate.open();
    expect((await listed).received).toBe(710);
  });

  it('is asked for as it was if it is small, and the list fails if that does not help', async () => {
    const { clock, cloud, list, asked } = await setUp(17);
    const hang = cloud.faults.set({ operation: 'list', fault: { kind: 'hang' } });
    const listed = list({ pageSize: 18 }).catch((error: unknown) => error);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await until(() => hang.hits === attempt);
      await clock.advance(requestTimeoutMs);
    }
    expect(await listed).toMatchObject({ reason: 'timeout', operation: 'list_servers' });
    expect(asked()).toEqual(['0+18', '0+18', '0+18']);
  });

  it('because nobody can log in is not the fault of the page', async () => {
    const { clock, cloud, list, asked } = await setUp(50);
    const hang = cloud.faults.set({ operation: 'login', fault: { kind: 'hang' } });
    const listed = list().catch((error: unknown) => error);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await until(() => hang.hits === attempt);
      await clock.advance(requestTimeoutMs);
    }
    expect(await listed).toMatchObject({ reason: 'timeout', operation: 'login' });
    expect([asked(), hang.hits]).toEqual([[], 3]);
  });
});
