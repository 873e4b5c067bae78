import { describe, expect, it } from 'vitest';
import type { CloudConfig } from '../../src/config/load.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

/** No configuration is like this: JSON has no words for it, so the login throws what is not a failure of anything. */
const mistaken = { project: { name: 1n } } as unknown as CloudConfig['scope'];

describe('a mistake of ours in the collection of one cloud', () => {
  it('is told as `bug` and logged once with its stack; the other clouds are as ever', async () => {
    const cloud = await simulate({ servers: 30 });
    const settings = settingsFor(cloud);
    const exporter = await runExporter(
      { bad: settings, good: settings },
      { alter: (config) => (config.name === 'bad' ? { ...config, scope: mistaken } : config) },
    );
    for (let round = 1; round <= 3; round += 1) {
      const answer = await fetch(`${exporter.url}/metrics`);
      expect(answer.status).toBe(200);
      const parsed = parseExposition(await answer.text());
      const reason = { cloud: 'bad', reason: 'bug' };
      expect(parsed.value('cloud_up', { cloud: 'bad' })).toBe(0);
      expect(parsed.value('cloud_exporter_collection_failures_total', reason)).toBe(round);
      expect(parsed.value('cloud_up', { cloud: 'good' })).toBe(1);
      expect(parsed.sum('cloud_servers', { cloud: 'good' })).toBe(30);
    }
    const told = exporter.logged().match(/"msg":"a bug broke the collection"/g);
    expect(told).toHaveLength(1);
    expect(exporter.logged()).toMatch(/"stack":"TypeError: [^"]*BigInt[^"]*\\n +at /);
  });
});
