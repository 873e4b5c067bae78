import { createFileReader, type FileReader } from '../../src/config/file-reader.ts';
import { createGate } from '../../test/support/gate.ts';

export interface Mount {
  readonly files: FileReader;
  die(): void;
  revive(): void;
  isDead(): boolean;
}

/** Files of which those in one folder do not answer while their mount is dead. */
export function createMount(folder: string): Mount {
  const real = createFileReader();
  let dead: ReturnType<typeof createGate> | undefined;
  const disk: FileReader = {
    ...real,
    async text(path) {
      if (path.startsWith(folder)) await dead?.passed;
      return real.text(path);
    },
  };
  return {
    files: createFileReader({ disk }),
    die() {
      dead ??= createGate();
    },
    revive() {
      dead?.open();
      dead = undefined;
    },
    isDead: () => dead !== undefined,
  };
}
