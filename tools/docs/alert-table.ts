import { causes } from '../../test/rules/causes.ts';
import { table } from './section.ts';

/** What happens, and who is told of it after how long: as the rule tests see it arrive. */
export function alertTable(): string {
  const rows = causes.map(({ happens, tells }) => {
    const cells = tells.map((text) => {
      const [, minutes, who, names] = /^(-?\d+)m ([\w-]+): (.*)$/.exec(text)!;
      const links = names!.split(', ').map((name) => `[${name}](#${name.toLowerCase()})`);
      return Number(minutes) < 0 ? '' : `${who}, ${durationOf(Number(minutes))}: ${links.join(', ')}`;
    });
    return [happens, cells.filter(Boolean).join('; ') || 'nobody'];
  });
  return table(['what happens', 'who is told'], rows);
}

function durationOf(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
