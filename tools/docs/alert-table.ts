import { causes } from '../../test/rules/causes.ts';

const receivers = ['digest', 'team', 'on-call'];

/** Who is notified of each alert, and how soon after what happened: as the rule tests see it arrive. */
export function alertTable(): string {
  const soonest = new Map<string, Map<string, number>>();
  for (const text of causes.flatMap(({ tells }) => tells)) {
    const [, minutes, who, names] = /^(-?\d+)m ([\w-]+): (.*)$/.exec(text)!;
    if (Number(minutes) < 0) continue;
    for (const name of names!.split(', ')) {
      const times = soonest.get(name) ?? new Map<string, number>();
      soonest.set(name, times.set(who!, Math.min(Number(minutes), times.get(who!) ?? Infinity)));
    }
  }
  const lines = [...soonest].map(([name, times]) => {
    const notified = receivers.filter((who) => times.has(who));
    const parts = notified.map((who) => `${who} ${durationOf(times.get(who)!)}`);
    return `- [${name}](#${name.toLowerCase()}): ${parts.join(', ')}`;
  });
  return lines.join('\n');
}

function durationOf(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
