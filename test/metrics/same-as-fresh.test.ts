import { expect, it } from 'vitest';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const ofSnapshots = /^cloud_(servers?|hosts?)[a-z_]*\{/;
const linesOf = (text: string) => text.split('\n').filter((line) => ofSnapshots.test(line));

it.each([
  { case: 'with room for every label set', settings: {} },
  { case: 'with more label sets than series_limit allows', settings: { series_limit: 300 } },
])(
  'an exporter that has written other servers before writes what a fresh one does, $case',
  async ({ settings }) => {
    const cloud = await simulate({ servers: 120 });
    const { fleet } = cloud;
    const query = { scope: 'system', pending_delete: 'all' };
    const clouds = { one: settingsFor(cloud, { query, room_max_age: 0, ...settings }) };
    const lasting = await runExporter(clouds);
    const everyThird = () => fleet.servers.filter((_, index) => index % 3 === 0).map(({ id }) => id);
    const change = (more: object) => () => fleet.changeAll(everyThird(), () => more);
    const steps = [
      () => undefined,
      change({ status: 'ready' }),
      change({ tenant_id: 'moved', tenant: 'moved', project: 'moved' }),
      () => fleet.remove(everyThird()),
      change({ status: 'running', vcpu_count: 7 }),
      change({ status: 'made_up' }),
      change({ status: 'running' }),
    ];
    for (const step of steps) {
      step();
      const fresh = await runExporter(clouds);
      const lines = linesOf(await lasting.text('/metrics'));
      expect(lines.length).toBeGreaterThan(100);
      expect(lines).toEqual(linesOf(await fresh.text('/metrics')));
      await fresh.stop();
    }
  },
);
