import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileReader } from '../../src/config/file-reader.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { itWith } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { temporaryFolder } from '../support/simulated.ts';

const turn = () => new Promise(setImmediate);

/** A disk whose reads end when the test says so, by the path. */
function setUp() {
  const clock = createManualClock();
  const ends = new Map<string, () => void>();
  const text = (path: string) =>
    new Promise<string>((resolve) => ends.set(path, () => resolve(`text of ${path}`)));
  const files = createFileReader({ clock, disk: { text, folder: async () => undefined } });
  const between = async (work: () => unknown) => {
    await turn();
    await work();
    await turn();
  };
  return {
    begun: () => [...ends.keys()],
    read: (path: string) => files.text(path).catch((error: Error) => error.message),
    end: (path: string) => between(() => ends.get(path)?.()),
    pass: (ms: number) => between(() => clock.advance(ms)),
  };
}

describe('a file', () => {
  itWith(['mkfifo'])('that is a pipe without a writer is refused at once, and not waited for', async () => {
    const pipe = join(await temporaryFolder(), 'pipe');
    await run('mkfifo', [pipe]);
    await expect(createFileReader().text(pipe)).rejects.toThrow('pipe is not a regular file');
  });

  it('that never answers is given up after five seconds, and the next one is read', async () => {
    const { begun, read, end, pass } = setUp();
    const [dead, good] = [read('/dead/1'), read('/good/1')];
    await pass(5000);
    expect(await dead).toBe('/dead/1 cannot be read: no answer within 5 s');
    await end('/good/1');
    expect(await good).toBe('text of /good/1');
    expect(begun()).toEqual(['/dead/1', '/good/1']);
  });

  it('at the end of a long queue is not late while the queue moves', async () => {
    const { read, end, pass } = setUp();
    const paths = ['/slow/1', '/slow/2', '/slow/3'];
    const reads = Promise.all(paths.map(read));
    for (const path of paths) {
      await pass(4000);
      await end(path);
    }
    expect(await reads).toEqual(paths.map((path) => `text of ${path}`));
  });
});
