import { causes } from '../../test/rules/causes.ts';
import { table } from './section.ts';

/** Who is notified of what, after how long: as the rule tests see it arrive. What has the same outcome is one row. */
export function alertTable(): string {
  const byOutcome = new Map<string, string[]>();
  for (const { happens, tells } of causes) {
    const cells = tells.map((text) => {
      const [, minutes, who, names] = /^(-?\d+)m ([\w-]+): (.*)$/.exec(text)!;
      const links = names!.split(', ').map((name) => `[${name}](#${name.toLowerCase()})`);
      return Number(minutes) < 0 ? '' : `${links.join(', ')}: ${who}, ${durationOf(Number(minutes))}`;
    });
    const outcome = cells.filter(Boolean).join('; ') || 'nobody';
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), happens]);
  }
  const rows = [...byOutcome].map(([outcome, happens]) => [outcome, happens.join('; ')]);
  return table(['alert: who is notified, after', 'what happens'], rows);
}

function durationOf(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
