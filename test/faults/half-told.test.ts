import { describe, expect, it } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

describe('pages that are told by half', () => {
  it.each(['host', 'place', 'project', 'domain', 'disks'] as const)(
    'without %s are asked for again, and every sum is right',
    async (missing) => {
      const cloud = await simulate({ servers: 200 });
      const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 60 }) });
      cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'halfTold', missing } });
      const parsed = parseExposition(await exporter.text('/metrics'));
      expectTruth(parsed, truthOf(cloud.fleet), 'one');
      const reason = { host: 'host', place: 'host', project: 'project', domain: 'project', disks: 'disk' }[
        missing
      ];
      expect(parsed.value('cloud_list_suspect_pages_total', { reason })).toBe(1);
    },
  );
});
