import { expect } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { CloudPlan, SimulatedCloud } from '../simulator/cloud.ts';
import { truthOf } from '../simulator/truth.ts';
import { parseExposition, type Parsed } from './exposition.ts';
import { settingsFor } from './settings.ts';
import { runExporter, simulate } from './simulated.ts';
import { expectTruth } from './truth.ts';

type Plan<OwnClock> = Partial<CloudPlan> & {
  readonly servers?: number;
  /** Of the platform and of the exporter; that of this machine if not given. */
  readonly clock?: OwnClock;
  /** Of the cloud, which is called `one`. */
  readonly settings?: object | ((cloud: SimulatedCloud) => object | Promise<object>);
  /** Of each scrape. */
  readonly headers?: Record<string, string>;
  /** What else the exporter is started with. */
  readonly options?: Parameters<typeof runExporter>[1];
};

/** Packing and unpacking would be much of the work. */
const plain = { 'Accept-Encoding': 'identity' };

/** A simulated cloud, the exporter that tells of it, and what a scrape says. */
export async function exportCloud<OwnClock extends Clock = Clock>(plan: Plan<OwnClock> = {}) {
  const { clock, settings, headers, options, ...rest } = plan;
  const cloud = await simulate({ ...(clock && { now: clock.now }), ...rest });
  const { fleet } = cloud;
  const own = { ...options, ...(clock && { clock }) };
  const more = typeof settings === 'function' ? await settings(cloud) : settings;
  const exporter = await runExporter({ one: settingsFor(cloud, more) }, own);
  const ask = async (path: string, other = headers): Promise<Parsed> =>
    parseExposition(await exporter.text(path, { ...plain, ...other }));
  const scrape = (other?: Record<string, string>) => ask('/metrics', other);
  return {
    clock: clock as OwnClock,
    cloud,
    fleet,
    exporter,
    scrape,
    /** The same without what the exporter says of itself, which is much of a small page. */
    probe: () => ask('/probe?cloud=one'),
    /** Every sum, series by series. */
    async expectTrue(truth = () => truthOf(fleet)): Promise<Parsed> {
      const parsed = await scrape();
      expect(parsed.value('cloud_up')).toBe(1);
      expectTruth(parsed, truth(), 'one');
      return parsed;
    },
  };
}

/** Why collections failed, and how often. */
export function failuresOf(parsed: Parsed): Record<string, number> {
  const counted = parsed.of('cloud_exporter_collection_failures_total').filter(({ value }) => value > 0);
  return Object.fromEntries(counted.map(({ labels, value }) => [labels['reason']!, value]));
}
