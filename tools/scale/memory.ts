import { totalmem } from 'node:os';
import type { Size } from './size.ts';

/** The programs in Go. By default their heap grows to twice what is in use before it is cleaned up. */
export type GoPart = 'agent' | 'store' | 'rules';

/** By how much of what is in use the heap may grow. */
const growthPercent = 30;
/** Of the machine's memory, for all parts of a kind together: near that, more is cleaned up. */
const share: Readonly<Record<GoPart, number>> = { agent: 0.35, store: 0.25, rules: 0.12 };

/** What the Go runtime is told, by its variables. */
export function goEnvironment(size: Size, part: GoPart): Record<string, string> {
  if (!size.lean) return {};
  const bytes = (totalmem() * share[part]) / (part === 'agent' ? size.agents : 1);
  return { GOGC: String(growthPercent), GOMEMLIMIT: `${Math.floor(bytes / 2 ** 20)}MiB` };
}

/** What was told, for whoever reads the figures. */
export function leanLine(size: Size): string {
  const limits = (['agent', 'store', 'rules'] as const).map(
    (part) => goEnvironment(size, part)['GOMEMLIMIT'],
  );
  return `To save memory, the programs in Go run with GOGC=${growthPercent} and GOMEMLIMIT: ${limits[0]} each agent, ${limits[1]} VictoriaMetrics, ${limits[2]} vmalert.`;
}
