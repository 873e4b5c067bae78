import type { ListedStorage } from '../platform/side-records.ts';
import { withDistinctLabels } from './distinct-labels.ts';
import type { Overcommit } from './hosts.ts';
import type { PlaceOf } from './names.ts';

/** A storage by region, zone, name, type and medium. Sizes are in the platform's units; undefined where it does not say. */
export interface Storage {
  readonly id: string;
  readonly labels: readonly string[];
  readonly isUp: boolean;
  readonly capacity: number | undefined;
  readonly allocatable: number | undefined;
  readonly allocated: number | undefined;
  readonly used: number | undefined;
}

/** The position of the name among the labels. */
const nameAt = 2;

export function joinStorages(
  listed: readonly ListedStorage[],
  placeOf: PlaceOf,
  { storage: usualOvercommit }: Overcommit,
): readonly Storage[] {
  const storages = listed.map((one): Storage => {
    const { id, isUp, capacity, reserved, overcommit = usualOvercommit, promised, wasted = 0, written } = one;
    const { region, zone } = placeOf(one.zoneId);
    return {
      id,
      labels: [one.region || region, one.zone || zone, one.name, one.type, one.mediumType],
      isUp,
      capacity,
      allocatable: capacity === undefined ? undefined : Math.floor((capacity - reserved) * overcommit),
      allocated: promised === undefined ? undefined : promised + wasted,
      used: written,
    };
  });
  return withDistinctLabels(storages, nameAt);
}
