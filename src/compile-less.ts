import { setFlagsFromString } from 'node:v8';

/** A third of what V8 would put into one function. */
const inlinedBytes = 300;
/** Four times what V8 11 would wait for. */
const waitedFor = 264_000;
/** From this version on, V8 waits long enough by itself, and knows no such flag. */
const patientVersion = 12;

/**
 * Half of the first scrape of 10,000 servers was V8 compiling code that was as fast before. `version` is that of V8, such
 * as 11.3.244.8.
 */
export function compileLess(version: string): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${inlinedBytes}`);
  if (Number.parseInt(version, 10) < patientVersion) setFlagsFromString(`--interrupt-budget=${waitedFor}`);
}
