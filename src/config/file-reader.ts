import { constants } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock, within, type Clock } from '../clock.ts';

/** What cannot be read throws an `UnreadableFile`, and no read takes longer than the deadline. */
export interface FileReader {
  text(path: string): Promise<string>;
  /** The names in a folder, sorted; nothing if the path is not a folder. */
  names(path: string): Promise<readonly string[] | undefined>;
}

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

/** Long for a disk, and short enough that a start, a reload or a login does not hang. */
const deadlineMs = 5000;
/** A read that hangs cannot be ended and keeps a thread, so there must not be many of them. */
const mostHanging = 2;
/** More than any configuration, certificate or secret needs. */
const longestBytes = 2 ** 20;

/**
 * Reads one file after the other, each within a deadline, for a dead mount never answers. Files of one folder hang
 * together: while one of them does, the others are given up at once.
 */
export function createFileReader({
  clock = systemClock,
  disk = realDisk,
}: { clock?: Pick<Clock, 'wait'>; disk?: FileReader } = {}): FileReader {
  let last: Promise<unknown> = Promise.resolve();
  const hanging = new Set<string>();

  function inTurn<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
    const result = last.then(() => inTime(path, work));
    last = result.catch(() => undefined);
    return result;
  }

  async function inTime<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
    const folder = dirname(path);
    if (hanging.has(folder)) throw tooLate(path);
    if (hanging.size >= mostHanging)
      throw new UnreadableFile(likelyPath(path), 'cannot be read while files of other folders hang');
    const read = work(path).finally(() => hanging.delete(folder));
    return within({ clock, ms: deadlineMs }, read, () => {
      hanging.add(folder);
      throw tooLate(path);
    });
  }

  return { text: (path) => inTurn(path, disk.text), names: (path) => inTurn(path, disk.names) };
}

function tooLate(path: string): UnreadableFile {
  return new UnreadableFile(likelyPath(path), `cannot be read: no answer within ${deadlineMs / 1000} s`);
}

const realDisk: FileReader = { text: readRegular, names: listFolder };

/** Opens without waiting, since the opening of a named pipe waits for its writer. */
async function readRegular(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await file.stat();
    if (!about.isFile() && !about.isDirectory())
      throw new UnreadableFile(await nameOf(path), 'is not a regular file');
    if (about.size > longestBytes) throw new UnreadableFile(await nameOf(path), 'is larger than 1 MiB');
    return await file.readFile('utf8');
  } catch (error) {
    throw await whyUnreadable(path, error);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

async function listFolder(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await stat(path)).isDirectory() ? (await readdir(path)).toSorted() : undefined;
  } catch (error) {
    throw await whyUnreadable(path, error);
  }
}

async function whyUnreadable(path: string, error: unknown): Promise<UnreadableFile> {
  if (error instanceof UnreadableFile) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new UnreadableFile(await nameOf(path), `cannot be read (${code ?? message})`);
}

/** The path, unless it may be a password that was put where a path belongs: then its folder is not there. */
async function nameOf(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === '/' || folder === '.' || path.endsWith('/')) return likelyPath(path);
  const isThere = await stat(folder).then(
    (about) => about.isDirectory(),
    () => false,
  );
  return isThere ? path : likelyPath(path);
}

function likelyPath(path: string): string {
  return /^\.{0,2}\/[\w./ -]*\/[\w. -]{1,64}$/.test(path) ? path : 'the file';
}
