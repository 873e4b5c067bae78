import type { Snapshot } from '../../inventory/snapshot.ts';
import { fleetTotal } from '../../metrics/fleet.ts';
import { states, type State } from '../../platform/state.ts';
import { markup, type Markup } from './markup.ts';
import { countOf } from './words.ts';

const words: Readonly<Record<State, string>> = {
  running: 'running',
  stopped: 'stopped',
  transition: 'in transition',
  failed: 'failed',
  task_failed: 'with a failed task',
  unknown: 'unknown',
  pending_deletion: 'in the recycle bin',
};

/** A share of this size can still be seen, though it be one server of a hundred thousand. */
const leastShare = 0.008;

/** Servers by state: a bar for the eye, and the same as a list of words and numbers. */
export function renderStates(snapshot: Snapshot): Markup {
  const counts = states.map((state) => {
    const count = fleetTotal(snapshot, 'cloud_servers', (group) => group.state === state);
    return { state, word: words[state], count };
  });
  const present = counts.filter(({ count }) => count > 0);
  const label = present.map(({ word, count }) => `${countOf(count)} ${word}`).join(', ') || 'no servers';
  const items = counts.map(
    ({ state, word, count }) =>
      markup`<li class="${state}${count === 0 ? ' none' : ''}"><b>${countOf(count)}</b> ${word}</li>`,
  );
  return markup`<svg class="bar" role="img" aria-label="Servers by state: ${label}">${renderShares(present)}</svg>
<ul class="states">${items}</ul>`;
}

function renderShares(counts: readonly { state: string; word: string; count: number }[]): Markup[] {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const shares = counts.map(({ count }) => Math.max(leastShare, count / total));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let start = 0;
  return counts.map(({ state, word, count }, index) => {
    const width = (100 * shares[index]!) / whole;
    const x = start;
    start += width;
    return markup`<rect class="${state}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"><title>${countOf(count)} ${word}</title></rect>`;
  });
}
