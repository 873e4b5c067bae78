import { describe, expect, it } from 'vitest';
import type { Parsed } from '../support/exposition.ts';
import { expectTruth } from '../support/truth.ts';
import { conditions } from './conditions.ts';
import { openDoor } from './door.ts';
import { dayMs, setStage, type Stage } from './stage.ts';
import type { Outcome, Place } from './outcome.ts';
import { truthOf } from '../simulator/truth.ts';

/** The platform behind two doors, one for identity and one for servers. */
async function setDoors() {
  const doors: Record<'login' | 'list', Awaited<ReturnType<typeof openDoor>>>[] = [];
  const stage = await setStage(async (cloud) => {
    const login = await openDoor(cloud.port);
    const list = await openDoor(cloud.port);
    doors.push({ login, list });
    return {
      details_max_age: 0,
      auth_url: `http://${login.address}/identity`,
      base_url: `http://${list.address}/compute`,
    };
  });
  return { stage, doors: doors[0]! };
}

function attempts(parsed: Parsed, operation: string): number {
  return parsed.sum('cloud_exporter_api_requests_total', { operation });
}

function expectOutcome(parsed: Parsed, outcome: Outcome): void {
  if (outcome === 'fine') throw new Error('a failure was expected');
  expect(parsed.value('cloud_up')).toBe(0);
  expect(parsed.value('cloud_exporter_collection_failures_total', { reason: outcome.reason })).toBe(1);
}

async function expectHealed({ scrape, cloud }: Stage): Promise<void> {
  const healed = await scrape();
  expect(healed.value('cloud_up')).toBe(1);
  expectTruth(healed, truthOf(cloud.fleet), 'one');
}

describe(`a platform that ${conditions.refusing.what}`, () => {
  it.each<{ place: Place; operation: string }>([
    { place: 'login', operation: 'login' },
    { place: 'first', operation: 'list_servers' },
  ])('at the place "$place" is asked three times and found again', async ({ place, operation }) => {
    const { stage, doors } = await setDoors();
    const before = truthOf(stage.cloud.fleet);
    const known = await stage.scrape();
    stage.cloud.fleet.create(3);
    await stage.clock.advance(dayMs);
    const door = place === 'login' ? doors.login : doors.list;
    await door.shut();
    const parsed = await stage.scrape();
    expectOutcome(parsed, conditions.refusing[place]);
    expectTruth(parsed, before, 'one');
    expect(attempts(parsed, operation) - attempts(known, operation)).toBe(3);
    await door.open();
    await expectHealed(stage);
  });

  it('in the middle of a list is asked three times and found again', async () => {
    const { stage, doors } = await setDoors();
    const before = truthOf(stage.cloud.fleet);
    const known = await stage.scrape();
    stage.cloud.fleet.create(3);
    stage.cloud.hooks.beforePage = async ({ offset }) => {
      if (offset > 0) await doors.list.shut();
    };
    const parsed = await stage.scrape();
    expectOutcome(parsed, conditions.refusing.middle);
    expectTruth(parsed, before, 'one');
    expect(attempts(parsed, 'list_servers') - attempts(known, 'list_servers')).toBe(1 + 3);
    stage.cloud.hooks.beforePage = undefined;
    await doors.list.open();
    await expectHealed(stage);
  });
});

describe(`a platform that ${conditions.idle.what}`, () => {
  it('never has one of ours: the first request of each scrape opens its own', async () => {
    const stage = await setStage(() => ({ details_max_age: 0 }));
    const reset = { kind: 'reset', onlyReused: true } as const;
    await stage.scrape();
    const reused = stage.cloud.faults.set({ operation: 'list', page: 0, fault: reset });
    for (let round = 0; round < 5; round += 1) await expectHealed(stage);
    expect(reused.hits).toBe(0);
  });

  it('costs no retry', async () => {
    const stage = await setStage(() => ({ details_max_age: 0 }));
    const isLast = (query: URLSearchParams) =>
      query.getAll('filter').every((text) => !text.startsWith('id.le'));
    stage.cloud.faults.set({ operation: 'list', where: isLast, fault: { kind: 'closeIdle', afterMs: 0 } });
    for (let round = 0; round < 5; round += 1) await expectHealed(stage);
    const parsed = await stage.scrape();
    expect(parsed.sum('cloud_exporter_api_retries_total')).toBe(0);
    expect(parsed.sum('cloud_exporter_collection_failures_total')).toBe(0);
  });
});
