import type { ListedNetwork, ListedSync } from '../platform/side-records.ts';
import type { PlaceOf } from './names.ts';
import { withDistinctLabels } from './distinct-labels.ts';

/** A network by region, zone, VPC, name and type. */
export interface Network extends Pick<ListedNetwork, 'id' | 'isUp' | 'addresses' | 'used'> {
  readonly labels: readonly string[];
}

export function joinNetworks(listed: readonly ListedNetwork[], placeOf: PlaceOf): readonly Network[] {
  const networks = listed.map(({ id, isUp, addresses, used, ...one }): Network => {
    const { region, zone } = placeOf(one.zoneId);
    const place = [one.region || region, one.zone || zone];
    return { id, isUp, addresses, used, labels: [...place, one.vpc, one.name, one.serverType] };
  });
  return withDistinctLabels(networks, 3);
}

/** What is synchronised, by account, subscription and region. */
export interface Sync extends Pick<ListedSync, 'id' | 'isEnabled' | 'syncedAt'> {
  readonly labels: readonly string[];
}

/** Where the platform's clock is ahead of ours, what it has just done is now. */
export function joinSyncs(listed: readonly ListedSync[], now: number): readonly Sync[] {
  const syncs = listed.map(({ id, isEnabled, syncedAt, account, subscription, region }): Sync => ({
    id: String(Number(id)),
    isEnabled,
    syncedAt: syncedAt && Math.min(syncedAt, now),
    labels: [account, subscription, region],
  }));
  return withDistinctLabels(syncs, 1);
}
