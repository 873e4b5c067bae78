import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { variables } from '../../src/config/environment.ts';
import { ConfigError, loadConfig } from '../../src/config/load.ts';
import { cloudShape } from '../../src/config/schema.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const keys = Object.keys(cloudShape);
const anyValue = fc.oneof(
  fc.constantFrom(...'https://cloud.example.test http:// x 30s MiB public'.split(' ')),
  fc.constantFrom<unknown>('', 0, 1, -1, true),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary' }),
);
const anyCloud = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), anyValue, { maxKeys: 8 });

/** Taken whole or refused with what is wrong; anything else that is thrown fails the test. */
async function expectJudged(input: Parameters<typeof loadConfig>[0]): Promise<void> {
  try {
    expect((await loadConfig(input)).clouds.length).toBeGreaterThan(0);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const problem of error.problems) expect(problem).toMatch(/\S/);
  }
}

describe('a configuration is taken whole or refused with what is wrong,', () => {
  it('whatever the file is', async () => {
    const file = join(await temporaryFolder(), 'clouds.yml');
    const valid = { auth_url: 'https://cloud.example.test', token: 'abc' };
    const content = fc.oneof(
      fc.record({ clouds: fc.dictionary(fc.string(), anyCloud, { maxKeys: 3 }) }),
      anyCloud.map((cloud) => ({ clouds: { one: { ...valid, ...cloud } } })),
      fc.jsonValue(),
    );
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('clouds:', '  one:', '    token: *a', '- &a', '{', '"', '<<: *a'),
    );
    const lines = fc.array(line).map((some) => some.join('\n'));
    const text = fc.oneof(
      content.map((value) => stringify(value)),
      lines,
    );
    await fc.assert(
      fc.asyncProperty(text, async (words) => {
        await writeFile(file, words);
        await expectJudged({ file, environment: {} });
      }),
      { numRuns: 400 },
    );
  });

  it('whatever the variables say', async () => {
    const names = [...variables.map(([name]) => name), 'CLOUD_NAME'];
    const words = fc.constantFrom('https://cloud.example.test', 'x', '');
    const value = fc.oneof(words, fc.string({ unit: 'binary' }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), (environment) =>
        expectJudged({ environment }),
      ),
      { numRuns: 200 },
    );
  });
});

const settings = fc.record(
  {
    page_size: fc.constantFrom(1, 2, 7, 10, 500, 10_000),
    page_limit: fc.constantFrom(1, 2, 10, 1_000_000),
    concurrency: fc.constantFrom(1, 2, 64),
    request_timeout: fc.constantFrom<unknown>('0s', '20s', '100d', 1e9),
    collection_timeout: fc.constantFrom<unknown>('0s', '5m', '100d', 1e9),
    response_limit_bytes: fc.constantFrom(1024, 100_000, 2 ** 31),
    max_age: fc.constantFrom('0s', '1h'),
    max_stale: fc.constantFrom('0s', '1h'),
    per_server: fc.boolean(),
    series_limit: fc.constantFrom(1, 100, 100_000_000),
    problem_limit: fc.constantFrom(0, 1, 1_000_000),
    stuck_after: fc.constantFrom('0s', '100d'),
    expiring_within: fc.constantFrom('0s', '10000d'),
    labels: fc.constantFrom(
      {},
      { team: 'metadata.user:team' },
      { a: 'os_type', b: 'no_such_field', le: 'name' },
    ),
  },
  { requiredKeys: [] },
);

it('every configuration that is taken answers scrapes, and never counts wrong', async () => {
  const { cloud, fleet, exporter } = await exportCloud({ servers: 25 });
  let [collected, turn] = [0, 0];
  await fc.assert(
    fc.asyncProperty(settings, async (chosen) => {
      // Another name, so that nothing of the last one is left.
      const name = `cloud ${(turn += 1)}`;
      await exporter.write({ [name]: settingsFor(cloud, chosen) });
      expect(await exporter.reload()).toEqual([]);
      const answer = await fetch(`${exporter.url}/metrics`);
      expect(answer.status).toBe(200);
      const parsed = parseExposition(await answer.text());
      if (parsed.value('cloud_up') === 0 || parsed.of('cloud_servers').length === 0) return;
      collected += 1;
      expect(parsed.sum('cloud_servers')).toBe(25);
      if (chosen.labels === undefined && chosen.series_limit !== 1 && chosen.series_limit !== 100)
        expectTruth(parsed, truthOf(fleet), name);
    }),
    { numRuns: 60 },
  );
  expect(collected).toBeGreaterThan(5);
});
