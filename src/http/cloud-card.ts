import type { CloudView } from '../inventory/collector.ts';
import type { Host } from '../inventory/hosts.ts';
import { locationValue } from '../inventory/location.ts';
import type { ProblemKind } from '../inventory/problems.ts';
import type { ListFacts, Snapshot } from '../inventory/snapshot.ts';
import { countDevices, fleetTotal } from '../metrics/fleet.ts';
import { states, type State } from '../platform/state.ts';
import { failureAdvice } from '../transport/advice.ts';
import type { Failure } from '../transport/failure.ts';
import { markup, type Markup } from './markup.ts';
import { bytesOf, counted, countOf, momentOf, secondsOf } from '../words.ts';

const conditions = { up: 'Up', down: 'Down', idle: 'Idle' } as const;

function conditionOf({ failure, snapshot }: CloudView): keyof typeof conditions {
  if (failure) return 'down';
  return snapshot ? 'up' : 'idle';
}

/** One cloud at a glance. */
export function renderCloud(view: CloudView, hasDiscovery: boolean): Markup {
  const { cloud, snapshot, failure } = view;
  const condition = conditionOf(view);
  const name = encodeURIComponent(cloud);
  const id = `cloud-${name}`;
  return markup`<article class="cloud" aria-labelledby="${id}">
<header><h2 id="${id}">${cloud}</h2><span class="badge ${condition}">${conditions[condition]}</span>${snapshot && renderAge(snapshot)}</header>
${failure && renderFailure(failure, snapshot)}
${condition === 'idle' && markup`<p class="hint">Nobody has scraped this cloud lately, so there are no numbers. <a href="./probe?cloud=${name}">Collect now</a></p>`}
${snapshot && [renderStates(snapshot), renderTotals(snapshot), renderProblems(snapshot)]}
${renderFacts(view)}
<nav aria-label="Links for ${cloud}"><a href="./probe?cloud=${name}">Metrics of this cloud</a><a href="./probe?cloud=${name}&amp;debug=true">Trace a collection</a>${hasDiscovery && markup`<a href="./sd/servers?cloud=${name}&amp;port=9100">Discover its servers</a>`}</nav>
</article>`;
}

function renderAge({ takenAt }: Snapshot): Markup {
  return markup`<span class="age">as of <time datetime="${new Date(takenAt).toISOString()}">${momentOf(takenAt)}</time></span>`;
}

function renderFailure(failure: Failure, snapshot: Snapshot | undefined): Markup {
  const { meaning } = failureAdvice[failure.reason];
  return markup`<section class="failure" aria-label="The latest failure">
<p><strong>${meaning}</strong> ${failure.cure}</p>
<p class="detail"><code>${failure.reason}</code> ${failure.message}${failure.requestId && ` (request ${failure.requestId})`}</p>
${snapshot && markup`<p class="detail">Below are the last good numbers.</p>`}
</section>`;
}

/** States and problems have the names that they have as labels. */
const wordsOf = (name: State | ProblemKind) => name.replaceAll('_', ' ');

/** Servers by state: a bar for the eye, and the same as a list of words and numbers. */
function renderStates(snapshot: Snapshot): Markup {
  const counts = states.map((state) => {
    const count = fleetTotal(snapshot, 'cloud_servers', state);
    return { state, word: wordsOf(state), count };
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
  let end = 0;
  return counts.map(({ state, word, count }) => {
    const width = (100 * count) / total;
    const x = end;
    end += width;
    return markup`<rect class="${state}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"><title>${countOf(count)} ${word}</title></rect>`;
  });
}

function renderTotals(snapshot: Snapshot): Markup {
  const totals = {
    servers: countOf(fleetTotal(snapshot, 'cloud_servers')),
    vCPUs: countOf(fleetTotal(snapshot, 'cloud_servers_vcpus')),
    memory: bytesOf(fleetTotal(snapshot, 'cloud_servers_memory_bytes')),
    disk: bytesOf(fleetTotal(snapshot, 'cloud_servers_disk_bytes')),
    GPUs: countOf(countDevices(snapshot, (type) => /gpu/i.test(type))),
  };
  const items = Object.entries(totals).map(
    ([name, text]) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`,
  );
  return markup`<dl class="totals">${items}</dl>`;
}

function renderFacts(view: CloudView): Markup | undefined {
  const { token, scope, snapshot, durationSeconds } = view;
  const facts: Markup[] = [];
  const add = (name: string, text: string, isWarning = false) =>
    facts.push(markup`<div><dt>${name}</dt><dd class="${isWarning ? 'warning' : ''}">${text}</dd></div>`);
  if (token) {
    const end = `until ${momentOf(token.endsAt)}, renewed by itself`;
    add('Token', token.expiresAt === undefined ? 'held, its expiry is not known' : end);
    if (token.passwordExpiresAt !== undefined)
      add('Password', `expires ${momentOf(token.passwordExpiresAt)}`);
  }
  if (scope) add('Scope', `${scope.scope}, ${scope.why}`);
  if (durationSeconds !== undefined) add('Collection', `took ${secondsOf(durationSeconds)}`);
  const list = snapshot?.lists.get('servers');
  if (snapshot && list)
    add('List', listWords(list, snapshot.projects), (list.received ?? 0) < (list.reported ?? 0));
  if (snapshot?.hosts) add('Hosts', hostWords(snapshot.hosts.all, snapshot.lists.get('hosts')));
  return facts.length > 0 ? markup`<dl class="facts">${facts}</dl>` : undefined;
}

function hostWords(hosts: readonly Host[], list: ListFacts | undefined): string {
  const named = `${counted(hosts.length, 'host')} that servers name`;
  if (list?.received === undefined) return named;
  const down = hosts.filter(({ isUp }) => !isUp).length;
  const disabled = hosts.filter(({ capacity }) => capacity?.isEnabled === false).length;
  return `${countOf(hosts.length)} listed, ${countOf(down)} down, ${countOf(disabled)} disabled`;
}

function listWords(list: ListFacts, projects: number): string {
  const { received = 0, reported = received, rejected, pages = 0 } = list;
  const skipped = [...rejected.values()].reduce((sum, count) => sum + count, 0);
  const servers = `${countOf(received)} of ${counted(reported, 'server')}, ${countOf(skipped)} unreadable`;
  return `${servers}; in ${counted(pages, 'page')} from ${counted(projects, 'project')}`;
}

/** As many as fit a glance; all of them are in `cloud_server_problem`. */
const shownProblems = 8;

/** How many servers need attention and why, and the first of them by name. */
function renderProblems({ problems: { counts, named } }: Snapshot): Markup {
  const present = [...counts].filter(([, count]) => count > 0);
  const total = present.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return markup`<p class="problems calm">No server needs attention.</p>`;
  const kinds = present.map(([kind, count]) => `${countOf(count)} ${wordsOf(kind)}`).join(', ');
  const rows = named.slice(0, shownProblems).map(({ kind, id, name, status, location, host }) => {
    const words = [locationValue(location, 'project'), locationValue(location, 'zone'), host];
    const where = words.filter((word) => word !== '').join(' · ');
    return markup`<tr><th scope="row">${name || id}</th><td>${wordsOf(kind)}, ${status || 'no status'}</td><td>${where}</td></tr>`;
  });
  const more = total - rows.length;
  const rest =
    more > 0 && markup`<p class="detail">${countOf(more)} more in <code>cloud_server_problem</code></p>`;
  return markup`<details class="problems"><summary>${counted(total, 'problem')} <span>${kinds}</span></summary>
<div class="scroll"><table><thead><tr><th scope="col">server</th><th scope="col">problem</th><th scope="col">project, zone, host</th></tr></thead><tbody>${rows}</tbody></table></div>${rest}</details>`;
}
