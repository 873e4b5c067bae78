import { dayMs, minuteMs, stamp } from '../answer.ts';
import { placeIds, sites } from './places.ts';
import { createNamed } from './random.ts';

/** What is synchronised of one subscription and region, as `GET /cloudproviderregions` has it. */
export type SyncRecord = ReturnType<typeof createSyncs>[number];

/** Account, subscription, and how its latest synchronisation went: some time ago, not ended yet, or there was none. */
const subscriptions = [
  'vcenter-main vcenter-main-sub ended',
  'ali-main ali-main-sub ended',
  'ali-main ali-main-old disabled',
  'hw-main hw-main-sub running',
  'hw-main hw-main-lab forgotten',
  'aws-main aws-main-sub ended',
  'aws-main aws-main-new never',
].map((row) => row.split(' ') as [string, string, string]);

const minutesAgo: Readonly<Record<string, number>> = { disabled: 5 * 24 * 60, forgotten: 3 * 24 * 60 };

/** Every few minutes all is as of that moment: what goes on, goes on. What was forgotten then stays so. */
export function createSyncs(seed: number, bornAtMs: number, nowMs = bornAtMs) {
  const created_at = stamp(bornAtMs - 400 * dayMs);
  return subscriptions.map(([cloudaccount, cloudprovider, state], index) => {
    const [site] = sites.find(([{ account }]) => account === cloudaccount)!;
    const began = minutesAgo[state] ? bornAtMs - minutesAgo[state] * minuteMs : nowMs - 2 * minuteMs;
    const [isBegun, isEnded] = [state !== 'never', state !== 'never' && state !== 'running'];
    const id = String(index + 1).padStart(6, '0');
    return {
      id,
      name: id,
      row_id: index + 1,
      created_at,
      updated_at: created_at,
      update_version: 1,
      cloudaccount,
      cloudaccount_id: createNamed(seed, cloudaccount).uuid(),
      cloudprovider,
      cloudprovider_id: createNamed(seed, cloudprovider.replace(/(.*)-sub$/, 'manager$1')).uuid(),
      cloudregion: site.region,
      cloudregion_id: placeIds(site, site.zones[0]!, seed).region_id,
      enabled: state !== 'disabled',
      last_sync: isBegun ? stamp(began) : '',
      last_sync_end_at: isEnded ? stamp(began + minuteMs) : '',
      sync_status: state === 'running' ? 'syncing' : 'idle',
    };
  });
}
