import { describe, expect, it } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { minute, setUpChanges } from './changing-cloud.ts';

describe('the start of the changes', () => {
  it('is early enough for a change that waited behind a lock', async () => {
    const { begin, clock, expectTrue, fleet, how, quiet } = await setUpChanges();
    await begin();
    const [first, late, gone] = quiet(3);
    fleet.setStatus(first!, 'start_fail');
    await expectTrue();
    fleet.change(late!, { status: 'start_fail' }, { at: clock.now() - 7000 });
    fleet.remove([gone!], { at: clock.now() - 50_000 });
    await expectTrue();
    expect(how()).toBe('changes');
  });

  it('is not moved by a row from the future', async () => {
    const { begin, clock, expectTrue, fleet, how, quiet } = await setUpChanges({ list_max_age: '30m' });
    await begin();
    const [far, near, one, other] = quiet(4);
    fleet.change(far!, { name: 'far' }, { at: clock.now() + 60 * minute });
    await expectTrue();
    fleet.setStatus(one!, 'start_fail');
    await expectTrue();
    expect(how()).toBe('changes');
    // It is in the past at the next scrape, and was not when it was seen.
    fleet.change(near!, { name: 'near' }, { at: clock.now() + 5 * minute });
    await expectTrue();
    await clock.advance(minute);
    fleet.setStatus(other!, 'start_fail');
    await clock.advance(5 * minute);
    await expectTrue();
    expect(how()).toBe('changes');
  });

  it.each([
    ['behind', -5 * minute],
    ['ahead of', 5 * minute],
  ])("is right when the service's clock is %s the database's", async (_how, skewMs) => {
    const clock = createManualClock();
    const fleet = createFleet({ servers: 150, now: clock.now });
    const service = () => clock.now() + skewMs;
    const setting = await setUpChanges({}, { fleet, now: service });
    const { begin, expectTrue, how, quiet } = setting;
    await clock.advance(60 * minute);
    await begin();
    for (const id of quiet(4)) {
      await clock.advance(minute);
      fleet.setStatus(id, 'start_fail');
      fleet.remove([fleet.servers[0]!.id], { withHost: true, at: service() });
      await expectTrue();
    }
    expect(how()).toBe('changes');
  });
});
