/** The known word that a misspelt one most likely meant, if any is near. */
export function suggest(
  word: string,
  known: readonly string[],
  farthest = Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined;
  let least = farthest + 1;
  for (const candidate of known) {
    // Words whose lengths differ by more are farther; so a long word costs no more than a short one.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substitution = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(previous[column]! + 1, current[column - 1]! + 1, substitution));
    }
    previous = current;
  }
  return previous[to.length]!;
}
