import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exportCloud } from '../support/exported-cloud.ts';

const read = (path: string) => readFileSync(`dashboards/${path}`, 'utf8');

describe('/runbook', () => {
  it('serves the runbook, with an anchor for each alert, to whoever may read /metrics', async () => {
    const { cloud, exporter } = await exportCloud({ options: { runbook: read('runbook.md') } });
    const answer = await fetch(`${exporter.url}/runbook`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
    const page = await answer.text();
    const alerts = [...read('rules/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(new Set(alerts).size).toBeGreaterThan(20);
    for (const name of alerts) expect(page).toContain(`<h2 id="${name}">${name}</h2>`);
    expect(page).not.toMatch(/<script|&#60;!--/);
    expect(await exporter.text('/')).toContain('<a href="./runbook">Runbook</a>');
    expect(cloud.journal.count()).toBe(0);
  });

  it('says so where it was not installed', async () => {
    const { exporter } = await exportCloud();
    const answer = await fetch(`${exporter.url}/runbook`);
    const words = expect.stringContaining('runbook.md was not installed');
    expect([answer.status, await answer.text()]).toEqual([404, words]);
    expect(await exporter.text('/')).not.toContain('./runbook');
  });
});
