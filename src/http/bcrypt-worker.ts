import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export type Compare = (password: string, hash: string) => Promise<boolean>;

/** Runs in the thread. As text, since the thread starts from a file of its own, and a test has none that is compiled. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { compareSync } = require(workerData);
parentPort.on('message', ({ password, hash }) => {
  let isRight = false;
  try {
    isRight = compareSync(password, hash);
  } catch {}
  parentPort.postMessage(isRight);
});
`;

/**
 * Compares passwords with bcrypt hashes in a thread of its own: each takes a tenth of a second or more, in which the
 * main thread would answer nobody. The thread starts with the first password, and ends with the process, which
 * it does not keep alive.
 */
export function createBcryptWorker(): Compare {
  let worker: Worker | undefined;
  const waiting: { resolve: (isRight: boolean) => void; reject: (error: Error) => void }[] = [];

  function start(): Worker {
    const library = createRequire(import.meta.url).resolve('bcryptjs');
    const started = new Worker(program, { eval: true, workerData: library });
    started.on('message', (isRight: boolean) => {
      waiting.shift()?.resolve(isRight);
      if (waiting.length === 0) started.unref();
    });
    started.on('error', (error: Error) => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.splice(0)) reject(error);
    });
    return started;
  }

  return (password, hash) =>
    new Promise((resolve, reject) => {
      worker ??= start();
      waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage({ password, hash });
    });
}
