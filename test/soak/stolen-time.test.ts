import { expect, it } from 'vitest';
import { stolenMsIn } from '../../tools/soak/stolen-time.ts';

it('reads what the host took away, of all processors together, in hundredths of a second', () => {
  const text = 'cpu  4667086 1467519 511906 7309866 9889 0 74867 510777 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n';
  expect(stolenMsIn(text)).toBe(5_107_770);
});

it.each(['', 'intr 1 2 3 4 5 6 7 8 9\n', 'cpu  1 2 3 4\n'])('takes %j for nothing stolen', (text) => {
  expect(stolenMsIn(text)).toBe(0);
});
