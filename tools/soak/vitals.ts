import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage } from '../../test/support/garbage.ts';

/** What a process holds on to when nothing is under way. */
export interface Vitals {
  /** How many collections there had been by then. */
  readonly collections: number;
  /** Memory that is in use after the garbage was collected. */
  readonly heapBytes: number;
  /** Timers, sockets, listeners and the like that keep the process alive. */
  readonly handles: number;
  /** Open files and sockets; 0 where the system does not tell. */
  readonly descriptors: number;
}

export async function takeVitals(collections: number): Promise<Vitals> {
  // Finalizers and closing sockets need turns of the event loop of their own.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return {
    collections,
    heapBytes: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    descriptors: countDescriptors(),
  };
}

function countDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

/** What caches, the optimizer and the simulated cloud's memory of its tokens may take. */
const toleratedBytes = 3_000_000;
const toleratedBytesEach = 300;
const toleratedHandles = 8;

/** Compares the end with what was there when everything had been used for a while. */
export function growth(vitals: readonly Vitals[]): string[] {
  const early = vitals[Math.floor(vitals.length / 3)];
  const late = vitals.at(-1);
  if (!early || !late) return [];
  const bytes = late.heapBytes - early.heapBytes;
  const tolerated = toleratedBytes + toleratedBytesEach * (late.collections - early.collections);
  const memory = bytes > tolerated ? [`memory grew by ${(bytes / 1e6).toFixed(1)} MB`] : [];
  return [...memory, ...opened(early, late, 'more are open than before')];
}

/** What is open after everything was closed. */
export function remains(atStart: Vitals, atEnd: Vitals): string[] {
  return opened(atStart, atEnd, 'are open after the end');
}

function opened(early: Vitals, late: Vitals, words: string): string[] {
  return (['handles', 'descriptors'] as const).flatMap((kind) => {
    const more = late[kind] - early[kind];
    return more > toleratedHandles ? [`${more} ${kind} ${words}`] : [];
  });
}
