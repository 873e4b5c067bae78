import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { CloudView } from '../../inventory/collector.ts';
import { renderCloud } from './cloud.ts';
import { markup, verbatim, type Markup } from './markup.ts';
import { refreshSeconds, script } from './script.ts';
import { style } from './style.ts';
import { counted, momentOf } from './words.ts';

export interface LandingPage {
  readonly version: string;
  readonly telemetryPath: string;
  readonly views: readonly CloudView[];
  readonly now: number;
  /** Under which the reader reached this exporter, and so may Prometheus. */
  readonly address: { readonly scheme: string; readonly host: string };
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Should markup of a tenant's making ever reach the page, it can neither run nor load nor send anything. */
const headers = {
  'Content-Security-Policy': [
    `default-src 'none'`,
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    `img-src data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Tells a person how each cloud is doing, from what is known already: looking costs the platform nothing. */
export function answerLanding(
  request: Request,
  response: Response,
  page: Omit<LandingPage, 'address'>,
): void {
  for (const [name, value] of Object.entries(headers)) if (!response.get(name)) response.set(name, value);
  const address = { scheme: request.protocol, host: safeHost(request.get('host')) };
  response.type('html').send(renderLanding({ ...page, address }));
}

/** The header comes from anybody: only what is a host name or an address, and a port, may stand in a configuration. */
export function safeHost(host: string | undefined): string {
  const isHost = /^([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;
  return host !== undefined && isHost.test(host) ? host : 'localhost:10700';
}

const mark = markup`<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="3" y="4" width="26" height="10" rx="3"/><rect x="3" y="18" width="26" height="10" rx="3"/><circle cx="9" cy="9" r="2"/><circle cx="9" cy="23" r="2"/></svg>`;
const icon = `data:image/svg+xml,${encodeURIComponent(mark.text.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg" fill="#2b62d1"'))}`;

export function renderLanding(page: LandingPage): string {
  const { version, views, now } = page;
  const cards = views.map((view, place) => renderCloud(view, `cloud-${place}`, now));
  const summary = summaryOf(views);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${summary} – cloud-platform-exporter</title>
<link rel="icon" href="${icon}">
<style>${verbatim(style)}</style>
<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>
</head>
<body>
<header class="top">
<div class="brand">${mark}<div><h1>cloud-platform-exporter <small>${version}</small></h1><p>Prometheus metrics about the servers of a cloud platform</p></div></div>
<nav aria-label="Exporter"><a href=".${page.telemetryPath}">Metrics</a><a href="./sd/clouds">Discover clouds</a><a href="./-/healthy">Health</a><a href="./-/ready">Readiness</a></nav>
</header>
<p id="notice" role="status" hidden>The exporter does not answer; what you see is the last that it said.</p>
<main>
<p class="summary">${summary} <time datetime="${new Date(now).toISOString()}">${momentOf(now)}</time></p>
<div class="clouds">${cards}</div>
${renderScrapeConfig(page)}
</main>
<footer><p>This page shows what the latest scrape learned and asks the platform for nothing. The documentation explains every metric, failure and setting.</p></footer>
<script>${verbatim(script)}</script>
</body>
</html>
`.text;
}

function summaryOf(views: readonly CloudView[]): string {
  const down = views.filter(({ failure }) => failure !== undefined);
  const up = views.filter((view) => view.up);
  if (down.length > 0) return `${down.length} of ${counted(views.length, 'cloud')} down`;
  if (up.length === views.length)
    return views.length === 1 ? 'The cloud is up' : `All ${counted(views.length, 'cloud')} up`;
  return `${up.length} of ${counted(views.length, 'cloud')} up`;
}

function renderScrapeConfig({ telemetryPath, address: { scheme, host } }: LandingPage): Markup {
  const lines = [
    'scrape_configs:',
    '  - job_name: cloud-platform-exporter',
    ...(scheme === 'https' ? ['    scheme: https'] : []),
    ...(telemetryPath === '/metrics' ? [] : [`    metrics_path: ${telemetryPath}`]),
    '    scrape_interval: 1m',
    '    scrape_timeout: 30s',
    '    static_configs:',
    `      - targets: ['${host}']`,
  ];
  return markup`<section class="config" aria-labelledby="scrape">
<header><h2 id="scrape">Scrape this exporter</h2><button type="button" data-copies="scrape-config" hidden>Copy</button></header>
<p>For <code>prometheus.yml</code>. <code>localhost</code> means this machine: write the name under which Prometheus reaches it.</p>
<pre id="scrape-config" tabindex="0" role="region" aria-label="Configuration for prometheus.yml">${lines.map((line) => `${line}\n`)}</pre>
</section>`;
}
