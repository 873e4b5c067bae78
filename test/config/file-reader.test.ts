import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createFileReader, UnreadableFile } from '../../src/config/file-reader.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/simulated.ts';

/** A disk whose reads end when the test says so, by the path. */
function createDisk() {
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const text = (path: string) =>
    new Promise<string>((resolve) => {
      begun.push(path);
      ends.set(path, () => resolve(`text of ${path}`));
    });
  const disk = { text, names: async () => undefined };
  return { disk, begun, end: (path: string) => ends.get(path)?.() };
}

const turn = () => new Promise(setImmediate);

describe('a file', () => {
  it('that is a pipe without a writer is refused at once, and not waited for', async () => {
    const pipe = join(await temporaryFolder(), 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    await expect(createFileReader().text(pipe)).rejects.toThrow('pipe is not a regular file');
  });

  it('that never answers is given up after five seconds, and the next one is read then', async () => {
    const clock = createManualClock();
    const { disk, begun, end } = createDisk();
    const files = createFileReader({ clock, disk });
    const dead = expect(files.text('/dead/1')).rejects.toThrow(
      '/dead/1 cannot be read: no answer within 5 s',
    );
    const good = files.text('/good/1');
    await turn();
    expect(begun).toEqual(['/dead/1']);
    await clock.advance(5000);
    await dead;
    await turn();
    end('/good/1');
    expect(await good).toBe('text of /good/1');
  });

  it('of a folder that hangs is given up at once, until the folder answers again', async () => {
    const clock = createManualClock();
    const { disk, begun, end } = createDisk();
    const files = createFileReader({ clock, disk });
    const first = files.text('/dead/1').catch((error: Error) => error);
    await turn();
    await clock.advance(5000);
    await first;
    await expect(files.text('/dead/2')).rejects.toThrow('no answer within 5 s');
    end('/dead/1');
    await turn();
    const third = files.text('/dead/3');
    await turn();
    end('/dead/3');
    expect(await third).toBe('text of /dead/3');
    expect(begun).toEqual(['/dead/1', '/dead/3']);
  });

  it('is read no more while two folders hang: each of them keeps a thread', async () => {
    const clock = createManualClock();
    const { disk, begun } = createDisk();
    const files = createFileReader({ clock, disk });
    for (const name of ['a', 'b']) {
      const read = files.text(`/${name}/1`).catch((error: Error) => error);
      await turn();
      await clock.advance(5000);
      expect(await read).toBeInstanceOf(UnreadableFile);
    }
    await expect(files.text('/c/1')).rejects.toThrow('cannot be read while files of other folders hang');
    expect(begun).toEqual(['/a/1', '/b/1']);
  });

  it('at the end of a long queue is not late while the queue moves', async () => {
    const clock = createManualClock();
    const { disk, end } = createDisk();
    const files = createFileReader({ clock, disk });
    const names = ['1', '2', '3'];
    const reads = Promise.all(names.map((name) => files.text(`/slow/${name}`)));
    for (const name of names) {
      await turn();
      await clock.advance(4000);
      end(`/slow/${name}`);
      await turn();
    }
    expect(await reads).toEqual(names.map((name) => `text of /slow/${name}`));
  });

  it('that is larger than any configuration is not read', async () => {
    const file = join(await temporaryFolder(), 'large');
    await writeFile(file, Buffer.alloc(2 ** 20 + 1));
    await expect(createFileReader().text(file)).rejects.toThrow(`${file} is larger than 1 MiB`);
  });
});

describe('a secret that was put where a path belongs', () => {
  const account = { OS_AUTH_URL: 'https://cloud.example.com', OS_USERNAME: 'a', OS_PASSWORD: 'b' };

  it.each([
    ['a password', { OS_PASSWORD: '', OS_PASSWORD_FILE: 'S3CRET' }],
    ['a password with slashes', { OS_PASSWORD: '', OS_PASSWORD_FILE: 'S3CRET/+S3CRET==' }],
    ['a password that begins with a slash', { OS_PASSWORD: '', OS_PASSWORD_FILE: '/S3CRET' }],
    ['a certificate', { OS_CACERT: '-----BEGIN CERTIFICATE-----\nS3CRET\n-----END CERTIFICATE-----' }],
    ['a key', { OS_CERT: 'S3CRET', OS_KEY: '-----BEGIN PRIVATE KEY----- S3CRET' }],
  ])('is not told: %s', async (_words, more) => {
    const problem = await loadConfig({ environment: { ...account, ...more } }).catch(String);
    expect(problem).toContain('the file');
    expect(problem).not.toContain('S3CRET');
  });

  it.each([
    ['a usual one', () => '/etc/nowhere/platform-ca.pem'],
    ['one with a folder that is there', (folder: string) => join(folder, 'p@ssword+1')],
    ['one from the folder of work', () => './nowhere/password.txt'],
  ])('does not keep a real path from being told whole: %s', async (_words, pathIn) => {
    const path = pathIn(await temporaryFolder());
    for (const variable of ['OS_CACERT', 'OS_TOKEN_FILE'])
      await expect(loadConfig({ environment: { ...account, [variable]: path } })).rejects.toThrow(
        `${variable}: ${path} cannot be read (ENOENT)`,
      );
  });
});
