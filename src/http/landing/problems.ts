import { placeValue } from '../../inventory/places.ts';
import type { ProblemKind } from '../../inventory/problems.ts';
import type { Snapshot } from '../../inventory/snapshot.ts';
import { markup, type Markup } from './markup.ts';
import { counted, countOf } from './words.ts';

const problemWords: Readonly<Record<ProblemKind, string>> = {
  failed: 'failed',
  task_failed: 'with a failed task',
  host_down: 'on a host that is down',
  stuck: 'stuck in transition',
  unknown: 'in an unknown state',
  standby_down: 'without a standby host',
  expired: 'expired',
  expiring: 'about to expire',
};

/** As many as fit a glance; all of them are in `cloud_server_problem`. */
const shownProblems = 8;

/** How many servers need attention and why, and the first of them by name. */
export function renderProblems({ problems: { counts, named } }: Snapshot): Markup {
  const present = [...counts].filter(([, count]) => count > 0);
  const total = present.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return markup`<p class="problems calm">No server needs attention.</p>`;
  const kinds = present.map(([kind, count]) => `${countOf(count)} ${problemWords[kind]}`).join(', ');
  const rows = named.slice(0, shownProblems).map(({ kind, id, name, status, place, host }) => {
    const words = [placeValue(place, 'project'), placeValue(place, 'zone'), host];
    const where = words.filter((word) => word !== '').join(' · ');
    return markup`<tr><th scope="row">${name || id}</th><td>${problemWords[kind]}, ${status || 'no status'}</td><td>${where}</td></tr>`;
  });
  const more = total - rows.length;
  const rest =
    more > 0 && markup`<p class="detail">${countOf(more)} more in <code>cloud_server_problem</code></p>`;
  return markup`<details class="problems"><summary>${counted(total, 'problem')} <span>${kinds}</span></summary>
<div class="scroll"><table><thead><tr><th scope="col">server</th><th scope="col">problem</th><th scope="col">project, zone, host</th></tr></thead><tbody>${rows}</tbody></table></div>${rest}</details>`;
}
