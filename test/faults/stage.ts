import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { truthOf } from '../simulator/truth.ts';
import { expectTruth } from '../support/truth.ts';
import type { Dialect, SimulatedCloud } from '../simulator/cloud.ts';
import type { FaultRule } from '../simulator/faults.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import type { Parsed } from '../support/exposition.ts';
import { serve } from '../support/served.ts';
import { createFaultClock, patienceSeconds, requestTimeoutMs } from './fault-clock.ts';
import type { FaultRow, Place, World } from './table.ts';

export const dayMs = 86_400_000;

/** Of each sort that JSON has. */
export const oddities = [null, true, -1, 1.5, 1e300, 'text', '', [], [[]], {}, { a: { b: [1] } }];

const digits = '0123456789abcdef'.split('');

/** One in each range of a first list, all in one place: reading the answers is not to be most of the work. */
function createSmallFleet(now: () => number): Fleet {
  const fleet = createFleet({ servers: digits.length, now });
  const someone = fleet.servers.find(({ disk, host_id }) => disk > 0 && host_id)!;
  const { id: _id, name: _name, status: _status, ...like } = someone;
  for (const [index, { id, status }] of [...fleet.servers].entries())
    fleet.change(id, { ...like, id: digits[index]! + id.slice(1), status });
  return fleet;
}

export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Three pages, one at a time, on a clock that only moves when it must. */
export async function setStage(
  settings: (cloud: SimulatedCloud) => object | Promise<object> = () => ({}),
  dialect: Dialect = 'platform',
) {
  const clock = createFaultClock();
  const { cloud, exporter, scrape, probe } = await exportCloud({
    fleet: createSmallFleet(clock.now),
    clock,
    dialect,
    headers: patient,
    settings: async (platform) => ({
      page_size: 5,
      concurrency: 1,
      request_timeout: requestTimeoutMs / 1000,
      response_limit_bytes: 1_000_000,
      max_stale: '90d',
      // Each wait and request that is counted here is one of servers.
      list_hosts: false,
      list_storages: false,
      list_isolated_devices: false,
      list_networks: false,
      list_syncs: false,
      ...(await settings(platform)),
    }),
  });
  /** Requests that reached the host which is not the platform's. */
  const strayed: string[] = [];
  const stranger = await serve((request, response) => {
    void text(request).then((body) => {
      strayed.push(`${request.rawHeaders.join(' ')} ${body}`);
      response.end('{}');
    });
  });
  const world: World = {
    clock,
    stranger: stranger.href,
    origin: new URL(cloud.baseUrl).origin,
    servers: () => cloud.fleet.servers.length,
  };

  /** Asks for anything while a fault stands, and lets time pass for whoever falls silent. */
  async function during<Result>({ row, rule }: Standing, ask: () => Promise<Result>): Promise<Result> {
    const progress = { isOver: false };
    const answer = ask().finally(() => {
      progress.isOver = true;
    });
    for (let seen = rule.hits; row.isSilent && !progress.isOver;) {
      await nextTurn();
      if (rule.hits === seen) continue;
      seen = rule.hits;
      // What the platform did send is on its way: headers, and the beginning of a body.
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      await clock.advance(requestTimeoutMs);
    }
    return answer;
  }

  function expectFine(parsed: Parsed): void {
    expect(parsed.value('cloud_up')).toBe(1);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  }

  return {
    clock,
    cloud,
    exporter,
    strayed,
    world,
    during,
    scrape: () => scrape(),
    /** That page has every sum. */
    expectFine,
    /** So has a new one, without what the exporter says of itself, which is most of a small page. */
    expectHealed: async () => expectFine(await probe()),
  };
}

type Standing = Readonly<{ row: FaultRow; rule: { readonly hits: number } }>;

export const patient = { 'X-Prometheus-Scrape-Timeout-Seconds': String(patienceSeconds) };

export function ruleAt(place: Place): Omit<FaultRule, 'fault'> {
  if (place === 'login') return { operation: 'login' };
  return { operation: 'list', page: place === 'first' ? 0 : 1 };
}
