import { setFlagsFromString } from 'node:v8';

/** A third of what V8 would put into one function. */
const inlinedBytes = 300;

/**
 * Half of what the first scrape of 10,000 servers took was V8 compiling. With smaller functions it is a third less of
 * that, and later scrapes take as long as with large ones.
 */
export function compileLess(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${inlinedBytes}`);
  // Each loop would be there twice, once for its first turn.
  setFlagsFromString('--no-turbo-loop-peeling');
}
