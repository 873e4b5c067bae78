import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { truthOf } from '../simulator/truth.ts';
import { expectTruth } from '../support/truth.ts';
import type { Dialect, SimulatedCloud } from '../simulator/cloud.ts';
import type { FaultRule } from '../simulator/faults.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, type RunningExporter } from '../support/simulated.ts';
import { createFaultClock, patienceSeconds, requestTimeoutMs, type FaultClock } from './fault-clock.ts';
import type { Place } from './outcome.ts';
import type { FaultRow, World } from './table.ts';

export const dayMs = 86_400_000;

export interface Stage {
  readonly clock: FaultClock;
  readonly cloud: SimulatedCloud;
  readonly exporter: RunningExporter;
  readonly world: World;
  /** Requests that reached the host which is not the platform's. */
  readonly strayed: readonly string[];
  scrape(): Promise<Parsed>;
  /** The same without what the exporter says of itself, which is most of a small page. */
  probe(): Promise<Parsed>;
  /** Such a page, which has every sum. */
  expectFine(): Promise<void>;
  /** Asks for anything while a fault stands, and lets time pass for whoever falls silent. */
  during<Result>(standing: Standing, ask: () => Promise<Result>): Promise<Result>;
}

export interface Standing {
  readonly row: FaultRow;
  readonly rule: { readonly hits: number };
}

/** A host that is not the platform's, and what it was sent. */
export async function startStranger(): Promise<{ url: string; strayed: string[] }> {
  const strayed: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      strayed.push(`${request.rawHeaders.join(' ')} ${Buffer.concat(chunks).toString()}`);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, strayed };
}

const digits = '0123456789abcdef'.split('');

/** One in each range of a first list, all in one place: reading the answers is not to be most of the work. */
function createSmallFleet(now: () => number): Fleet {
  const fleet = createFleet({ servers: digits.length, now });
  const {
    id: _id,
    name: _name,
    status: _status,
    ...like
  } = fleet.servers.find(({ disk, host_id }) => disk > 0 && host_id)!;
  for (const [index, { id, status }] of [...fleet.servers].entries())
    fleet.change(id, { ...like, id: digits[index]! + id.slice(1), status });
  return fleet;
}

/** Three pages, one at a time, on a clock that only moves when it must. */
export async function setStage(
  settings: (cloud: SimulatedCloud) => object | Promise<object> = () => ({}),
  dialect: Dialect = 'platform',
): Promise<Stage> {
  const clock = createFaultClock();
  const cloud = await simulate({ fleet: createSmallFleet(clock.now), now: clock.now, dialect });
  const exporter = await runExporter(
    {
      one: settingsFor(cloud, {
        page_size: 5,
        concurrency: 1,
        request_timeout: requestTimeoutMs / 1000,
        response_limit_bytes: 1_000_000,
        max_stale: '90d',
        // Each wait and request that is counted here is one of servers.
        list_hosts: false,
        list_storages: false,
        list_isolated_devices: false,
        ...(await settings(cloud)),
      }),
    },
    { clock },
  );
  const { url: stranger, strayed } = await startStranger();
  const probe = async () => parseExposition(await exporter.text('/probe?cloud=one', patient));
  return {
    clock,
    cloud,
    exporter,
    strayed,
    world: {
      clock,
      stranger,
      origin: new URL(cloud.baseUrl).origin,
      servers: () => cloud.fleet.servers.length,
    },
    scrape: async () => parseExposition(await exporter.text('/metrics', patient)),
    probe,
    async expectFine() {
      const parsed = await probe();
      expect(parsed.value('cloud_up')).toBe(1);
      expectTruth(parsed, truthOf(cloud.fleet), 'one');
    },
    during,
  };

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
}

/** Plain, because packing and unpacking would be half of the work of these tests. */
export const patient = {
  'X-Prometheus-Scrape-Timeout-Seconds': String(patienceSeconds),
  'Accept-Encoding': 'identity',
};

export function ruleAt(place: Place): Omit<FaultRule, 'fault'> {
  if (place === 'login') return { operation: 'login' };
  return { operation: 'list', page: place === 'first' ? 0 : 1 };
}
