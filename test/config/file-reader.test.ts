import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createFileReader } from '../../src/config/file-reader.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/simulated.ts';

const turn = () => new Promise(setImmediate);

/** A disk whose reads end when the test says so, by the path. */
function setUp() {
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const text = (path: string) =>
    new Promise<string>((resolve) => {
      begun.push(path);
      ends.set(path, () => resolve(`text of ${path}`));
    });
  const clock = createManualClock();
  const files = createFileReader({ clock, disk: { text, names: async () => undefined } });
  return {
    clock,
    begun,
    read: (path: string) => files.text(path).catch((error: Error) => error.message),
    async end(path: string) {
      await turn();
      ends.get(path)?.();
      await turn();
    },
    async giveUp() {
      await turn();
      await clock.advance(5000);
      await turn();
    },
  };
}

describe('a file', () => {
  it('that is a pipe without a writer is refused at once, and not waited for', async () => {
    const pipe = join(await temporaryFolder(), 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    await expect(createFileReader().text(pipe)).rejects.toThrow('pipe is not a regular file');
  });

  it('that never answers is given up after five seconds, and so is its folder until it answers again', async () => {
    const { begun, read, end, giveUp } = setUp();
    const [dead, good] = [read('/dead/1'), read('/good/1')];
    await giveUp();
    expect(await dead).toBe('/dead/1 cannot be read: no answer within 5 s');
    await end('/good/1');
    expect(await good).toBe('text of /good/1');
    expect(await read('/dead/2')).toBe('/dead/2 cannot be read: no answer within 5 s');
    await end('/dead/1');
    const again = read('/dead/3');
    await end('/dead/3');
    expect(await again).toBe('text of /dead/3');
    expect(begun).toEqual(['/dead/1', '/good/1', '/dead/3']);
  });

  it('is read no more while two folders hang: each of them keeps a thread', async () => {
    const { begun, read, giveUp } = setUp();
    for (const path of ['/a/1', '/b/1']) {
      const hanging = read(path);
      await giveUp();
      expect(await hanging).toContain('no answer within 5 s');
    }
    expect(await read('/c/1')).toContain('cannot be read while files of other folders hang');
    expect(begun).toEqual(['/a/1', '/b/1']);
  });

  it('at the end of a long queue is not late while the queue moves', async () => {
    const { clock, read, end } = setUp();
    const paths = ['/slow/1', '/slow/2', '/slow/3'];
    const reads = Promise.all(paths.map(read));
    for (const path of paths) {
      await turn();
      await clock.advance(4000);
      await end(path);
    }
    expect(await reads).toEqual(paths.map((path) => `text of ${path}`));
  });
});
