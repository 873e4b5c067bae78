import { setFlagsFromString } from 'node:v8';

/** A third of what V8 would put into one function. */
const inlinedBytes = 300;

/** A function runs so many times longer than V8 would wait before it is compiled. */
const patience = 4;

/** How long V8 would wait. Since version 12 it has a quick compiler before the thorough one. */
const waits = { '--interrupt-budget': 67_584 };
const waitsSince12 = { '--invocation-count-for-maglev': 400, '--invocation-count-for-turbofan': 3_000 };

/**
 * Half of what the first scrape of 10,000 servers took was V8 compiling. With smaller functions it is a third less of
 * that, and with patience there are fewer of them; later scrapes take as long as with many large ones.
 */
export function compileLess(v8Version: string): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${inlinedBytes}`);
  // Each loop would be there twice, once for its first turn.
  setFlagsFromString('--no-turbo-loop-peeling');
  const names = Number.parseInt(v8Version) < 12 ? waits : waitsSince12;
  for (const [name, wait] of Object.entries(names)) setFlagsFromString(`${name}=${patience * wait}`);
}
