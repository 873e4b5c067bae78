/**
 * How many requests may be under way at once within a collection. Halves when the platform is in trouble, and recovers
 * by one each time that as many as are allowed went well. Those under way when it halved say nothing about the new pace.
 */
export function createPace(maxLimit: number) {
  let limit = Math.max(1, maxLimit);
  let underWay = 0;
  let inARow = 0;

  function isOfOldPace(): boolean {
    if (underWay === 0) return false;
    underWay -= 1;
    return true;
  }

  return {
    limit: () => limit,
    /** A request timed out, or was answered 429 or 5xx. */
    troubled() {
      inARow = 0;
      if (isOfOldPace()) return;
      underWay = limit - 1;
      limit = Math.max(1, Math.floor(limit / 2));
    },
    succeeded() {
      if (isOfOldPace() || limit >= maxLimit) return;
      inARow += 1;
      if (inARow < limit) return;
      inARow = 0;
      limit += 1;
    },
  };
}
