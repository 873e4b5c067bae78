import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Memory {
  /** Bytes that objects take, garbage included. Not those of buffers, which are swept away some time after. */
  used(): number;
  /** Frees what nobody holds any more, at once. */
  collectGarbage(): void;
}

/** That of this process; nothing where the engine does not let anybody ask for a garbage collection. */
export function processMemory(): Memory | undefined {
  setFlagsFromString('--expose-gc');
  // The flag holds for what is started after it, so the function is taken from there.
  const collectGarbage = runInNewContext('globalThis.gc') as (() => void) | undefined;
  if (!collectGarbage) return undefined;
  return {
    used: () => getHeapStatistics().used_heap_size,
    collectGarbage,
  };
}
