import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderRunbook } from '../../src/http/runbook.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const read = (path: string) => readFileSync(new URL(`../../dashboards/${path}`, import.meta.url), 'utf8');

/** What stands on the page between the header and the end. */
function articleOf(markdown: string): string {
  return /<article class="text">(.*)<\/article>/s.exec(renderRunbook(markdown, '1.2.3').text)![1]!;
}

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
    expect(page).not.toMatch(/\*\*|<script|```|\]\(/);
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

describe('the runbook as a page', () => {
  it.each([
    ['## Which alert, when?', '<h2 id="Which-alert-when">Which alert, when?</h2>'],
    [
      'One\ntwo.\n\n**Three** `a_b` and _its_ b_c_d.',
      '<p>One\ntwo.</p><p><strong>Three</strong> <code>a_b</code> and <em>its</em> b_c_d.</p>',
    ],
    ['```sh\na <b> **c**\n\nd\n```', '<pre tabindex="0">a &#60;b&#62; **c**\n\nd</pre>'],
    ['- one\n  more\n- `two`', '<ul><li>one\n  more</li><li><code>two</code></li></ul>'],
    ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    ['[elsewhere](../docs/a.md) <b>', '<p>elsewhere &#60;b&#62;</p>'],
    [
      '## CloudDown\n\n[it](#clouddown)',
      '<h2 id="CloudDown">CloudDown</h2><p><a href="#CloudDown">it</a></p>',
    ],
    [
      '| a | b |\n| - | --- |\n| 1 \\| 2 | **3** |',
      '<div class="scroll"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1 | 2</td><td><strong>3</strong></td></tr></tbody></table></div>',
    ],
  ])('%j', (markdown, html) => {
    expect(articleOf(markdown)).toBe(html);
  });
});
