import type { CloudView } from '../inventory/collector.ts';

export interface LandingPage {
  readonly version: string;
  readonly telemetryPath: string;
  readonly views: readonly CloudView[];
}

/** A plain page for a person: what this is, how each cloud is doing, where to go on. */
export function renderLanding({ version, telemetryPath, views }: LandingPage): string {
  const rows = views.map((view) => {
    const servers = view.snapshot ? String(view.snapshot.received) : '–';
    const words = view.failure ? view.failure.reason : view.up ? 'up' : 'not collected yet';
    const probe = `<a href="/probe?cloud=${encodeURIComponent(view.cloud)}">probe</a>`;
    return `<tr><td>${escapeHtml(view.cloud)}</td><td>${escapeHtml(words)}</td><td>${servers}</td><td>${probe}</td></tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>cloud-platform-exporter</title>
<h1>cloud-platform-exporter ${escapeHtml(version)}</h1>
<p>Prometheus exporter for the servers of a cloud platform.</p>
<p><a href="${escapeHtml(telemetryPath)}">Metrics</a></p>
<table><tr><th>cloud</th><th>state</th><th>servers</th><th></th></tr>${rows.join('')}</table>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
