import { describe, expect, it } from 'vitest';
import {
  createDetailReader,
  isDetail,
  onChangedHosts,
  recordsOf,
  type Detail,
} from '../../src/inventory/detail.ts';
import { fleetBreakdowns, fleetMeasures } from '../../src/metrics/fleet.ts';
import { createPageParser } from '../../src/platform/read-page.ts';
import { readRecord } from '../../src/platform/read-record.ts';
import type { Rejected } from '../../src/platform/register.ts';
import { createServerReader } from '../../src/platform/server.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 16);

function record(id: string, more: object = {}): object {
  return {
    id,
    name: `name of ${id}`,
    status: 'running',
    vcpu_count: 2,
    vmem_size: 2048,
    disk: 10_240,
    disk_count: 1,
    host: 'h',
    host_id: 'h1',
    project: 'p',
    tenant_id: 'p1',
    update_version: 1,
    ...more,
  };
}

/** What an answer with these records gives, and how many of them had to be read. */
async function readAnswer(records: readonly object[], before: readonly (Detail | undefined)[], at = now) {
  const reader = createDetailReader({
    readServer: createServerReader([]),
    settings: {
      measures: fleetMeasures,
      hostMeasures: undefined,
      breakdowns: fleetBreakdowns,
      problems: { limit: 10, stuckAfterMs: dayMs, expiringWithinMs: dayMs },
    },
    share: (text) => text,
    keepsServers: false,
  });
  let reads = 0;
  const read = (raw: unknown) => {
    reads += 1;
    return readRecord((one) => reader.read(one, { at, now: at }), raw);
  };
  const parse = createPageParser<Detail | Rejected>(read, { known: recordsOf(before, at) });
  const body = Buffer.from(JSON.stringify({ servers: records, total: records.length }));
  const { servers } = (await parse(body)) as { servers: (Detail | Rejected)[] };
  return { reads, details: servers.map((one) => (isDetail(one) ? one : undefined)) };
}

const last = record('last');

describe('details that are read again', () => {
  it('are the same objects where their records are the same, in any order and company', async () => {
    const { details, reads } = await readAnswer([record('a'), record('b'), record('c'), last], []);
    expect(reads).toBe(4);
    const again = await readAnswer([record('c'), record('new'), record('a'), last], details);
    expect(again.reads).toBe(1);
    expect(again.details[0]).toBe(details[2]);
    expect(again.details[2]).toBe(details[0]);
    const third = await readAnswer([record('new'), record('b')], [again.details[1], details[1]]);
    expect(third.reads).toBe(0);
  });

  it('are others wherever a byte of the record is another one', async () => {
    const text = JSON.stringify(record('a'));
    const { details } = await readAnswer([record('a'), last], []);
    for (const { 0: digit, index } of text.matchAll(/\d/g)) {
      const other = `${text.slice(0, index)}${9 - Number(digit)}${text.slice(index + 1)}`;
      const changed = JSON.parse(other) as object;
      const again = await readAnswer([changed, last], details);
      expect(again.reads).toBe(1);
      expect(again.details[0]).not.toBe(details[0]);
    }
  });

  it('are counted anew when time has changed how they count', async () => {
    const expiring = record('a', {
      billing_type: 'prepaid',
      expired_at: new Date(now + 2 * dayMs).toISOString(),
    });
    const { details } = await readAnswer([expiring, last], []);
    expect(details[0]!.note?.problems ?? []).toEqual([]);
    expect((await readAnswer([expiring, last], details, now + 60_000)).details[0]).toBe(details[0]);
    const later = await readAnswer([expiring, last], details, now + 1.5 * dayMs);
    expect(later.reads).toBe(1);
    expect(later.details[0]!.note?.problems).toMatchObject([{ kind: 'expiring' }]);
  });

  it('are not taken from a record that was rejected', async () => {
    const bad = record('a', { vcpu_count: 'many' });
    const { details } = await readAnswer([bad, last], []);
    expect(details[0]).toBeUndefined();
    expect((await readAnswer([bad, last], details)).reads).toBe(1);
  });
});

describe('servers that contradict another one on their host', () => {
  it('are read again, even if that one says what it has said before', async () => {
    const silent = record('a', { host_service_status: 'offline' });
    const { details } = await readAnswer([silent, record('b'), record('c', { host_id: 'h2' }), last], []);
    const listed = details.slice(0, 3).map((detail) => detail!.plain);
    const again = await readAnswer([silent, last], details);
    expect(again.details[0]).toBe(details[0]);
    expect(onChangedHosts(listed, details, new Map([['a', again.details[0]!]]))).toEqual([1]);
  });
});
