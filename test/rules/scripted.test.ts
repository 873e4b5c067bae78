import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { recordScrapes, type InputSeries } from './recorded-scrapes.ts';
import { createScriptedFleet, scripts, type ScriptedCloud } from './scripted-clouds.ts';

const run = promisify(execFile);
const minuteMs = 60_000;
const startMs = Date.parse('2026-11-15T00:00:00Z');
const everyMinutes = 4;
const endMinutes = 96;
/** The second exporter comes while the first one is still there, as in a roll-out. */
const secondFrom = 72;
const firstUntil = 84;

/** Time goes on between scrapes only; pauses before another attempt are over at once. */
function createScriptClock(): Clock & { set(minutes: number): void } {
  // A moment of 0 is none to the rules, so that the first one comes a second later.
  const firstMs = startMs + 1000;
  let now = firstMs;
  return {
    now: () => now,
    monotonic: () => now - startMs,
    set: (minutes) => (now = firstMs + minutes * minuteMs),
    wait: (ms, signal) =>
      new Promise((end, fail) => {
        if (ms < minuteMs / 4) end();
        signal?.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
      }),
  };
}

/** Lets every script run its course, and returns what two exporters said of it. */
async function playScripts(): Promise<InputSeries[]> {
  const clock = createScriptClock();
  const clouds = new Map<string, ScriptedCloud>();
  for (const name of Object.keys(scripts))
    clouds.set(name, await simulate({ fleet: createScriptedFleet(), now: clock.now }));
  const settings = Object.fromEntries(
    [...clouds].map(([name, cloud]) => [name, settingsFor(cloud, scripts[name]!.settings)]),
  );
  const one = await runExporter(settings, { clock, logLevel: 'error' });
  const other = await runExporter(settings, { clock, logLevel: 'error' });
  const recorded = recordScrapes(startMs);
  const patience = { 'x-prometheus-scrape-timeout-seconds': '30' };
  for (let minutes = 0; minutes <= endMinutes; minutes += everyMinutes) {
    clock.set(minutes);
    for (const [name, cloud] of clouds) {
      const since = minutes - scripts[name]!.at;
      if (since >= 0) scripts[name]!.does(cloud, { nowMs: clock.now(), since });
    }
    const moment = minutes / everyMinutes;
    if (minutes <= firstUntil) recorded.add(moment, 'one:10700', await one.text('/metrics', patience));
    if (minutes >= secondFrom) recorded.add(moment, 'other:10700', await other.text('/metrics', patience));
  }
  return recorded.series();
}

const rules = ['thresholds', 'recording', 'alerts'].map((name) => resolve(`dashboards/rules/${name}.yml`));
const groups = ['thresholds', 'recording', 'capacity', 'exporter', 'collection', 'fleet', 'room'];

/** What fires in the end about each cloud, and that no sum of a calm one ever moved. */
function expectations() {
  const firing = Object.entries(scripts).flatMap(([cloud, { fires }]) =>
    Object.entries(fires).map(([alert, value]) => {
      const [severity, alertname] = alert.split(' ');
      return { labels: `{cloud="${cloud}", severity="${severity}", alertname="${alertname}"}`, value };
    }),
  );
  const eval_time = `${endMinutes}m`;
  const steady = ['max', 'min'].map((bound) => ({
    expr: `${bound}_over_time(cloud:cloud_servers:sum{cloud="calm"}[90m])`,
    eval_time,
    exp_samples: [{ labels: '{cloud="calm"}', value: 40 }],
  }));
  const told = {
    expr: 'count by (cloud, severity, alertname) (ALERTS{alertstate="firing"})',
    eval_time,
    exp_samples: firing,
  };
  return [told, ...steady];
}

describeWith(['promtool'], 'rules on what real exporters say of scripted clouds', () => {
  it('fire for what happens to each cloud and for nothing else, also while an exporter is replaced', async () => {
    const file = join(await temporaryFolder(), 'scripted.yml');
    const test = {
      rule_files: rules,
      evaluation_interval: `${everyMinutes}m`,
      group_eval_order: groups.map((name) => `cloud-platform-exporter.${name}`),
      tests: [
        {
          interval: `${everyMinutes}m`,
          input_series: await playScripts(),
          promql_expr_test: expectations(),
        },
      ],
    };
    // JSON is YAML.
    await writeFile(file, JSON.stringify(test));
    const { stdout } = await run(pathOf('promtool'), ['test', 'rules', file]).catch(
      ({ stderr }: { stderr: string }) => {
        throw new Error(`promtool says otherwise: ${stderr}`);
      },
    );
    expect(stdout).toContain('SUCCESS');
  });
});
