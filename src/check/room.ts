import type { Snapshot } from '../inventory/snapshot.ts';

interface Left {
  readonly free: number;
  readonly of: number;
}

/** What is left to be promised, as the platform's scheduler counts it; undefined where the list is not to be had. */
export interface RoomLeft {
  readonly vcpus: Left | undefined;
  readonly memory_bytes: Left | undefined;
  readonly storage_bytes: Left | undefined;
  readonly devices: Left | undefined;
}

export function roomLeft({ hosts, storages, lists, bytesPer }: Snapshot): RoomLeft {
  const hasHosts = hosts !== undefined && lists.get('hosts')?.received !== undefined;
  const hasDevices = hosts !== undefined && lists.get('isolated_devices')?.received !== undefined;
  const rooms = (hosts ?? []).flatMap(({ room }) => (room?.isSchedulable ? room : []));
  const devices = (hosts ?? []).flatMap((host) => host.devices);
  const online = (storages ?? []).filter(({ isUp }) => isUp);
  return {
    vcpus: hasHosts
      ? left(rooms, ({ vcpusAllocatable, vcpusAllocated }) => [vcpusAllocatable, vcpusAllocated])
      : undefined,
    memory_bytes: hasHosts
      ? left(rooms, (room) => [room.memoryAllocatable, room.memoryAllocated], bytesPer.memory)
      : undefined,
    storage_bytes: storages
      ? left(online, ({ allocatable, allocated }) => [allocatable, allocated], bytesPer.disk)
      : undefined,
    devices: hasDevices ? left(devices, (one) => [one.devices, one.devices - one.free]) : undefined,
  };
}

/** What one has too little of, another can't make up for. */
function left<Item>(
  items: readonly Item[],
  numbersOf: (item: Item) => readonly [allocatable: number | undefined, allocated: number | undefined],
  unit = 1,
): Left {
  let [free, of] = [0, 0];
  for (const item of items) {
    const [allocatable = 0, allocated = 0] = numbersOf(item);
    free += Math.max(0, allocatable - allocated) * unit;
    of += allocatable * unit;
  }
  return { free, of };
}
