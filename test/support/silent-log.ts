import type { Log } from '../../src/log.ts';

/** For units whose log lines a test does not read. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
