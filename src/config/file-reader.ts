import { constants } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock, type Clock } from '../clock.ts';

/** What cannot be read throws an `UnreadableFile`, and nothing waits longer than the deadline. */
export interface FileReader {
  text(path: string): Promise<string>;
  /** The names in a folder, sorted; nothing if the path is not a folder. */
  names(path: string): Promise<readonly string[] | undefined>;
  /** Equal as long as the file is the same; `unreadable` while it cannot be looked at. */
  stamp(path: string): Promise<string>;
}

/** Why a file could not be read, in words that follow its name. */
export class UnreadableFile extends Error {
  readonly words: string;

  constructor(path: string, words: string) {
    super(`${nameOf(path)} ${words}`);
    this.name = 'UnreadableFile';
    this.words = words;
  }
}

/** Long for a disk, and short enough that a start, a reload or a login does not hang. */
const deadlineMs = 5000;
/** Far more than any configuration or certificate needs. */
const longestBytes = 16 * 2 ** 20;

/** The reads of one folder, one after the other. */
interface Queue {
  last: Promise<void>;
  unfinished: number;
  finished: number;
  /** Somebody waited in vain, and no read has ended since. */
  isStuck: boolean;
}

/**
 * Reads files within a deadline, for a dead mount never answers. A read that hangs cannot be ended: it keeps a thread.
 * So there is one read at a time in each folder, since files of one folder hang together.
 */
export function createFileReader({
  clock = systemClock,
  disk = realDisk,
}: { clock?: Pick<Clock, 'wait'>; disk?: FileReader } = {}): FileReader {
  const queues = new Map<string, Queue>();

  async function inTurn<Result>(folder: string, queue: Queue, work: () => Promise<Result>): Promise<Result> {
    const before = queue.last;
    let done: () => void = () => undefined;
    queue.last = new Promise((resolve) => (done = resolve));
    queue.unfinished += 1;
    await before;
    try {
      return await work();
    } finally {
      queue.finished += 1;
      queue.isStuck = false;
      queue.unfinished -= 1;
      if (queue.unfinished === 0) queues.delete(folder);
      done();
    }
  }

  /** Ends when so long no read of the folder has ended: who stands in a queue that moves is not late. */
  async function standstill(queue: Queue, signal: AbortSignal): Promise<void> {
    let seen: number;
    do {
      seen = queue.finished;
      await clock.wait(deadlineMs, signal);
    } while (queue.finished !== seen);
  }

  async function within<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
    const folder = dirname(path);
    const queue = queues.get(folder) ?? {
      last: Promise.resolve(),
      unfinished: 0,
      finished: 0,
      isStuck: false,
    };
    if (queue.isStuck) throw tooLate(path);
    queues.set(folder, queue);
    const patience = new AbortController();
    let isLate = false;
    const late = standstill(queue, patience.signal).then((): never => {
      isLate = true;
      queue.isStuck = true;
      throw tooLate(path);
    });
    // Who waited in vain must not start a read that nobody needs any more.
    const result = inTurn(folder, queue, () => (isLate ? late : work(path)));
    result.catch(() => undefined);
    try {
      return await Promise.race([result, late]);
    } finally {
      patience.abort();
      late.catch(() => undefined);
    }
  }

  return {
    text: (path) => within(path, disk.text),
    names: (path) => within(path, disk.names),
    stamp: (path) => within(path, disk.stamp).catch(() => 'unreadable'),
  };
}

function tooLate(path: string): UnreadableFile {
  return new UnreadableFile(path, `cannot be read: no answer within ${deadlineMs / 1000} s`);
}

const realDisk: FileReader = { text: readRegular, names: listFolder, stamp: stampOf };

/** Opens without waiting, since the opening of a named pipe waits for its writer. */
async function readRegular(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await file.stat();
    if (!about.isFile() && !about.isDirectory()) throw new UnreadableFile(path, 'is not a regular file');
    if (about.size > longestBytes) throw new UnreadableFile(path, 'is larger than 16 MiB');
    return await file.readFile('utf8');
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

async function listFolder(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await stat(path)).isDirectory() ? (await readdir(path)).toSorted() : undefined;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** A time alone would hide two changes within one tick, and a link that points elsewhere. */
async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function unreadable(path: string, error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new UnreadableFile(path, `cannot be read (${code ?? message})`);
}

/** The last part of a path, or less: a password that was put where a path belongs must not be told. */
function nameOf(path: string): string {
  const last = /^\.{0,2}\/[\w./ -]*\/([\w. -]{1,64})$/.exec(path)?.[1];
  return last ?? 'the file';
}
