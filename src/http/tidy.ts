import type { RequestHandler } from 'express';
import type { Memory } from '../memory.ts';

const megabyte = 1_048_576;
/** Less garbage is not worth the time. */
const leastBytes = 16 * megabyte;
const leastShare = 0.2;
/** More is left to the engine, which collects it in small steps: at once it would take too long. */
const mostBytes = 256 * megabyte;

/**
 * Collects garbage once everybody has an answer. The engine would do so after some scrapes, in the middle of one, when
 * the garbage of all of them is in memory; between two scrapes nobody waits.
 */
export function createTidying(memory: Memory): RequestHandler {
  let underWay = 0;
  let usedBefore = memory.used();

  function tidy(): void {
    if (underWay > 0) return;
    const used = memory.used();
    const grown = used - usedBefore;
    if (used > mostBytes || grown < Math.max(leastBytes, leastShare * usedBefore)) return;
    memory.collectGarbage();
    usedBefore = memory.used();
  }

  return (_request, response, next) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      setImmediate(tidy);
    });
    next();
  };
}
