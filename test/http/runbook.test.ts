import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const read = (path: string) => readFileSync(new URL(`../../dashboards/${path}`, import.meta.url), 'utf8');

describe('/runbook', () => {
  it('serves the runbook, with an anchor for each alert, to whoever may read /metrics', async () => {
    const cloud = await simulate({ servers: 1 });
    const exporter = await runExporter({ one: settingsFor(cloud) }, { runbook: read('runbook.md') });
    const answer = await fetch(`${exporter.url}/runbook`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
    const page = await answer.text();
    const alerts = [...read('rules/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(new Set(alerts).size).toBeGreaterThan(20);
    for (const name of alerts) expect(page).toContain(`<h2 id="${name}">${name}</h2>`);
    expect(page).not.toMatch(/\*\*|<script|```|\]\(|&#60;!--/);
    for (const part of [
      '<pre tabindex="0">',
      '<ul><li>',
      '<th>',
      '<strong>Cause.</strong>',
      '<a href="#CloudDown">',
    ])
      expect(page).toContain(part);
    expect(await exporter.text('/')).toContain('<a href="./runbook">Runbook</a>');
    expect(cloud.journal.count()).toBe(0);
  });

  it('says so where it was not installed', async () => {
    const exporter = await runExporter({ one: settingsFor(await simulate({ servers: 1 })) });
    const answer = await fetch(`${exporter.url}/runbook`);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      'dashboards/runbook.md was not installed beside this exporter\n',
    ]);
    expect(await exporter.text('/')).not.toContain('./runbook');
  });
});
