import type { Request } from 'express';
import type { CloudView } from '../inventory/collector.ts';
import { renderCloud } from './cloud-card.ts';
import { markup, type Markup } from './markup.ts';
import { renderPage } from './page.ts';
import { isHost } from './paths.ts';
import { counted, timestampOf } from './words.ts';

/** Tells a person how each cloud is doing, from what is known already: looking costs the platform nothing. */
export function renderLanding(
  request: Request,
  views: readonly CloudView[],
  input: { version: string; telemetryPath: string; now: number; hasDiscovery: boolean; hasRunbook: boolean },
): Markup {
  const { version, telemetryPath, now, hasDiscovery, hasRunbook } = input;
  const summary = summaryOf(views);
  const cards = views.map((view, place) => renderCloud(view, { id: `cloud-${place}`, now, hasDiscovery }));
  return renderPage({
    title: summary,
    version,
    isLive: true,
    links: [
      { to: `.${telemetryPath}`, name: 'Metrics' },
      { to: './sd/clouds', name: 'Discover clouds' },
      ...(hasRunbook ? [{ to: './runbook', name: 'Runbook' }] : []),
      { to: './-/healthy', name: 'Health' },
      { to: './-/ready', name: 'Readiness' },
    ],
    body: markup`<p id="notice" role="status" hidden>The exporter does not answer; what you see is the last that it said.</p>
<main>
<p class="summary">${summary} <time datetime="${new Date(now).toISOString()}">${timestampOf(now)}</time></p>
<div class="clouds">${cards}</div>
${renderScrapeConfig(request, telemetryPath)}
</main>
<footer><p>This page shows what the latest scrape learned and asks the platform for nothing. The documentation explains every metric, failure and setting.</p></footer>`,
  });
}

function summaryOf(views: readonly CloudView[]): string {
  const down = views.filter(({ failure }) => failure !== undefined);
  const up = views.filter((view) => view.up);
  if (down.length > 0) return `${down.length} of ${counted(views.length, 'cloud')} down`;
  if (up.length === views.length)
    return views.length === 1 ? 'The cloud is up' : `All ${counted(views.length, 'cloud')} up`;
  return `${up.length} of ${counted(views.length, 'cloud')} up`;
}

function renderScrapeConfig(request: Request, telemetryPath: string): Markup {
  const host = request.get('host');
  const lines = [
    'scrape_configs:',
    '  - job_name: cloud-platform-exporter',
    ...(request.secure ? ['    scheme: https'] : []),
    ...(telemetryPath === '/metrics' ? [] : [`    metrics_path: ${telemetryPath}`]),
    '    scrape_interval: 1m',
    '    scrape_timeout: 30s',
    '    honor_labels: true',
    '    static_configs:',
    `      - targets: ['${isHost(host) ? host : 'localhost:10700'}']`,
  ];
  return markup`<section class="config" aria-labelledby="scrape">
<header><h2 id="scrape">Scrape this exporter</h2><button type="button" data-copies="scrape-config" hidden>Copy</button></header>
<p>For <code>prometheus.yml</code>. <code>localhost</code> means this machine: write the name under which Prometheus reaches it.</p>
<pre id="scrape-config" tabindex="0" role="region" aria-label="Configuration for prometheus.yml">${lines.map((line) => `${line}\n`)}</pre>
</section>`;
}
