import type { CloudView } from '../inventory/collector.ts';
import { counted, momentOf } from '../words.ts';
import { createSlices, isOver, nextSlice, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { renderCloud } from './cloud-card.ts';
import { markup } from './markup.ts';
import { renderHead } from './page.ts';

const foot = `</div>
</main>
<footer><p>This page shows what the latest scrape brought, and asks the platform for nothing.</p></footer>
</body>
</html>
`;

interface Card {
  readonly facts: readonly unknown[];
  readonly bytes: Buffer;
}

/** Shows a person how each cloud is doing, from what is known already: looking costs the platform nothing. */
export function createLanding(input: {
  readonly version: string;
  readonly telemetryPath: string;
  readonly enableDiscovery?: boolean;
  readonly yieldToEventLoop: YieldToEventLoop;
}) {
  const { version, telemetryPath, enableDiscovery: hasDiscovery = false, yieldToEventLoop } = input;
  let cards = new Map<string, Card>();
  const links = [
    markup`<a href=".${telemetryPath}">Metrics</a>`,
    markup`<a href="./sd/clouds">Discover clouds</a>`,
    markup`<a href="./runbook">Runbook</a>`,
    markup`<a href="./-/healthy">Health</a>`,
    markup`<a href="./-/ready">Readiness</a>`,
  ];

  /** Made once for what a cloud's latest collection brought, however often the page is asked for. */
  function cardOf(view: CloudView): Card {
    const { up, failure, snapshot, token, scope, durationSeconds } = view;
    const facts = [up, failure, snapshot, token, scope?.scope, scope?.why, durationSeconds];
    const known = cards.get(view.cloud);
    if (known?.facts.every((fact, index) => fact === facts[index])) return known;
    const card = renderCloud(view, hasDiscovery);
    return { facts, bytes: Buffer.from(card.text) };
  }

  return async function* write(views: readonly CloudView[], now: number) {
    const up = views.filter((view) => view.up);
    const title = `${up.length} of ${counted(views.length, 'cloud')} up`;
    const head = markup`${renderHead(title, version, links)}<main>
<p class="summary">${title} <time datetime="${new Date(now).toISOString()}">${momentOf(now)}</time></p>
<div class="clouds">`;
    yield Buffer.from(head.text);
    const shown = new Map<string, Card>();
    const slices = createSlices(yieldToEventLoop);
    for (const view of views) {
      if (isOver(slices)) await nextSlice(slices);
      const card = cardOf(view);
      shown.set(view.cloud, card);
      yield card.bytes;
    }
    cards = shown;
    yield Buffer.from(foot);
  };
}
