import { describe, expect, it } from 'vitest';
import { isToBeHad, missingParts, packagesOf } from './parts.ts';

export { pathOf } from './parts.ts';

const skipsNothing = process.env['npm_lifecycle_event'] === 'test:all';

/** One test with real parts, likewise. */
export function itWith(names: readonly string[]) {
  return it.skipIf(missingParts(names).length > 0 && !skipsNothing);
}

/** Tests with real parts: skipped and named where one is missing; in `npm run test:all` that is a failure. */
export function describeWith(names: readonly string[], title: string, tests: () => void): void {
  const missing = missingParts(names);
  const lack = `${title} (needs ${packagesOf(missing).join(', ')}, not on this machine)`;
  if (skipsNothing && missing.some(isToBeHad)) it(lack, () => expect(missing).toEqual([]));
  else describe.skipIf(missing.length > 0)(missing.length > 0 ? lack : title, tests);
}
