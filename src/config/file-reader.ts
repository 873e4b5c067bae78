import { constants } from 'node:fs';
import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, within, type Clock } from '../clock.ts';

/** What cannot be read throws an `UnreadableFile`, and no read takes longer than the deadline. */
export interface FileReader {
  text(path: string): Promise<string>;
  /** What is in a folder; nothing if the path is not a folder. */
  folder(path: string): Promise<Folder | undefined>;
}

/** Where each file is, by its name. */
export type Folder = ReadonlyMap<string, string>;

/** Why a file could not be read. `words` follow its name, which the message has if it is certainly one. */
export class UnreadableFile extends Error {
  readonly words: string;

  constructor(name: string, words: string) {
    super(`${name} ${words}`);
    this.name = 'UnreadableFile';
    this.words = words;
  }
}

/** For `catch`: that a file cannot be read is an answer; anything else is a bug. */
export function unreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  throw error;
}

/** Long for a disk, and short enough that a start, a reload or a login does not hang: a dead mount never answers. */
const deadlineMs = 5000;
/** More than any configuration, certificate or secret needs. */
const longestBytes = 2 ** 20;

/** Reads one file after the other: each read that hangs keeps a thread of the few that there are. */
export function createFileReader({
  clock = systemClock,
  disk = realDisk,
}: { clock?: Pick<Clock, 'wait'>; disk?: FileReader } = {}): FileReader {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
    const result = last.then(() =>
      within({ clock, ms: deadlineMs }, work(path), () => {
        throw new UnreadableFile(likelyPath(path), `cannot be read: no answer within ${deadlineMs / 1000} s`);
      }),
    );
    last = result.catch(() => undefined);
    return result;
  }

  return { text: (path) => inTurn(path, disk.text), folder: (path) => inTurn(path, disk.folder) };
}

const realDisk: FileReader = { text: readRegular, folder: readFolder };

/** Opens without waiting, since the opening of a named pipe waits for its writer. */
async function readRegular(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await file.stat();
    if (!about.isFile() && !about.isDirectory())
      throw new UnreadableFile(likelyPath(path), 'is not a regular file');
    if (about.size > longestBytes) throw new UnreadableFile(likelyPath(path), 'is larger than 1 MiB');
    return await file.readFile('utf8');
  } catch (error) {
    throw whyUnreadable(path, error);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** Kubernetes swaps the link `..data`: what leads through it is read behind its real path, where all is of one moment. */
async function readFolder(path: string): Promise<Folder | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return undefined;
    const data = await realpath(join(path, '..data')).catch(() => undefined);
    const behind = data === undefined ? [] : await readdir(data);
    const files = new Map(behind.map((name) => [name, join(data!, name)]));
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const own = join(path, entry.name);
      const isThrough = entry.isSymbolicLink() && (await readlink(own)).startsWith('..data/');
      if (!isThrough) files.set(entry.name, own);
    }
    return files;
  } catch (error) {
    throw whyUnreadable(path, error);
  }
}

function whyUnreadable(path: string, error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new UnreadableFile(likelyPath(path), `cannot be read (${code ?? message})`);
}

/** The path, unless it may be a password that was put where a path belongs. */
function likelyPath(path: string): string {
  return /^\.{0,2}\/[\w./ -]*\/[\w. -]{1,64}$/.test(path) ? path : 'the file';
}
