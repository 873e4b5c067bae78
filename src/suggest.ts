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

/** What operators call a setting who come from other programs of the field. */
const otherNames: Readonly<Record<string, string>> = {
  user: 'username',
  user_name: 'username',
  url: 'auth_url',
  endpoint: 'base_url',
  insecure: 'insecure_skip_verify',
  verify: 'insecure_skip_verify',
  domain: 'user_domain_name',
  region: 'region_name',
  project: 'project_name',
  tenant_name: 'project_name',
  ca_file: 'cacert',
  timeout: 'request_timeout',
};

/** The setting that a key means: by another name of it, or by a slip of the pen. */
export function meant(key: string, known: readonly string[]): string | undefined {
  const other = Object.hasOwn(otherNames, key) ? otherNames[key] : undefined;
  return other !== undefined && known.includes(other) ? other : suggest(key, known, 2);
}
