import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import { bytesOf, counted, spanOf } from '../../src/http/words.ts';
import { markup, prose } from '../../src/http/markup.ts';
import { isHost } from '../../src/http/paths.ts';
import { failureAdvice } from '../../src/transport/failure.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { truthOf } from '../simulator/truth.ts';

const dayMs = 86_400_000;

/** What a reader sees: no tags, one blank between words. */
function words(page: string): string {
  const body = page.slice(page.indexOf('<main>'), page.indexOf('</main>'));
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');
}

async function setUp(plan: Parameters<typeof simulate>[0] = {}) {
  const cloud = await simulate(plan);
  return { cloud, exporter: await runExporter({ lab: settingsFor(cloud) }) };
}

function scrapeConfig(page: string): string {
  const [, text = ''] = /<pre id="scrape-config"[^>]*>(.*?)<\/pre>/s.exec(page) ?? [];
  return text.replaceAll('&#39;', "'");
}

describe('the landing page', () => {
  it('warns when the password is about to end', async () => {
    const { exporter } = await setUp({ passwordExpiresAt: Date.now() + 5 * dayMs });
    await exporter.text('/metrics');
    expect(await exporter.text('/')).toContain('<dd class="warning">expires in 5 days</dd>');
  });

  it('says that nothing was collected, offers to, and asks the platform for nothing itself', async () => {
    const { cloud, exporter } = await setUp();
    const page = await exporter.text('/');
    expect(words(page)).toContain('0 of 1 cloud up');
    expect(words(page)).toContain('lab Not collected yet');
    expect(page).toContain('<a href="./probe?cloud=lab">Collect now</a>');
    expect(cloud.journal.entries).toEqual([]);
  });

  it('shows what the latest scrape learned', async () => {
    const { cloud, exporter } = await setUp({ servers: 1500, passwordExpiresAt: Date.now() + 90.5 * dayMs });
    await exporter.text('/metrics');
    const page = words(await exporter.text('/'));
    const { rows, devices } = truthOf(cloud.fleet);
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    const running = rows
      .filter(({ status }) => status === 'running')
      .map(({ servers, pendingDeletion }) => servers - pendingDeletion);
    const gpus = devices.filter(({ dev_type }) => dev_type.includes('GPU')).map(({ count }) => count);
    expect(page).toContain('The cloud is up');
    expect(page).toMatch(/lab Up as of \d+ s ago/);
    expect(page).toContain(`${sum(running).toLocaleString('en-US')} running`);
    expect(page).toContain('servers 1,500');
    expect(page).toContain(`vCPUs ${sum(rows.map(({ vcpus }) => vcpus)).toLocaleString('en-US')}`);
    expect(page).toContain(`memory ${bytesOf(sum(rows.map(({ memoryMiB }) => memoryMiB)) * 1024 ** 2)}`);
    expect(page).toContain(`disk ${bytesOf(sum(rows.map(({ diskMiB }) => diskMiB)) * 1024 ** 2)}`);
    expect(page).toContain(`GPUs ${sum(gpus)} `);
    expect(page).toContain('Token expires in 24 h');
    expect(page).toContain('Password expires in 90 days');
    expect(page).toContain('Scope system, as query says');
    expect(page).toMatch(/1,500 servers in \d+ pages from \d+ projects/);
  });

  it('names the servers that need attention, the pressing ones first, and counts the rest', async () => {
    const cloud = await simulate({ servers: 40 });
    cloud.quirks.rewriteServer = (server) => ({
      ...server,
      status: 'start_fail',
      power_states: 'off',
      expired_at: null,
    });
    const exporter = await runExporter({ lab: settingsFor(cloud) });
    await exporter.text('/metrics');
    const page = await exporter.text('/');
    expect(words(page)).toContain('40 failed');
    expect(words(page)).toContain('failed, start_fail');
    expect(page.match(/<th scope="row">/g)).toHaveLength(8);
    expect(words(page)).toMatch(/\d+ more in cloud_server_problem/);
  });

  it('says in words what failed and what to do, and keeps showing the last good numbers', async () => {
    const [good, bad] = [await simulate(), await simulate()];
    const exporter = await runExporter({ good: settingsFor(good), bad: settingsFor(bad) });
    await exporter.text('/metrics');
    bad.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    await exporter.text('/metrics');
    const page = words(await exporter.text('/'));
    expect(page).toContain('1 of 2 clouds down');
    expect(page).toContain('bad Down');
    expect(page).toContain(failureAdvice.rejected.meaning);
    expect(page).toContain('redirects are not followed, so give the final address.');
    expect(page).toContain('Below are the last good numbers.');
    expect(page).toContain('good Up');
    expect(page.match(/servers 120/g)).toHaveLength(2);
  });

  it('says that nobody scrapes, once the last numbers are too old to show', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now, monotonic: () => now };
    const exporter = await runExporter({ lab: settingsFor(await simulate()) }, { clock });
    await exporter.text('/metrics');
    now += 90_000;
    expect(words(await exporter.text('/'))).toContain('lab Up as of 90 s ago');
    now += 300_000;
    const page = words(await exporter.text('/'));
    expect(page).toContain('lab Idle');
    expect(page).toContain('its last numbers are too old to show. Collect now');
    expect(page).not.toContain('vCPUs');
  });

  it('escapes what tenants and operators name their things', async () => {
    const evil = `<script>alert('1')</script>"&`;
    const cloud = await simulate({ servers: 3 });
    cloud.quirks.rewriteServer = (server) => ({
      ...server,
      name: evil,
      project: evil,
      host: evil,
      status: `fail${evil}`,
    });
    const exporter = await runExporter({ [evil]: settingsFor(cloud) });
    await exporter.text('/metrics');
    const page = await exporter.text('/');
    expect(page).not.toContain('<script>alert');
    expect(words(page)).toContain(evil);
    expect(page).toContain(`cloud=${encodeURIComponent(evil).replaceAll("'", '&#39;')}`);
  });

  it('asks for no file from anywhere, and forbids everything that it does not need itself', async () => {
    const { exporter } = await setUp();
    const { headers } = await fetch(exporter.url);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    const page = await exporter.text('/');
    const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target = '']) => target);
    expect(loaded.filter((target) => !target.startsWith('./') && !target.startsWith('data:'))).toEqual([]);
    expect(page).not.toMatch(/@import|url\(/);
  });

  it('writes a scrape configuration for the address under which it was reached', async () => {
    const { exporter } = await setUp();
    expect(parse(scrapeConfig(await exporter.text('/')))).toMatchObject({
      scrape_configs: [
        {
          job_name: 'cloud-platform-exporter',
          honor_labels: true,
          static_configs: [{ targets: [new URL(exporter.url).host] }],
        },
      ],
    });
  });

  it.each([
    ['exporter.example.com', true],
    ['exporter.example.com:10700', true],
    ['[2001:db8::1]:10700', true],
    ["x']\nscrape_configs: evil", false],
    ['<script>', false],
    ['a'.repeat(300), false],
    ['', false],
    [undefined, false],
  ])('takes the host %j: %s', (given, isTaken) => {
    expect(isHost(given)).toBe(isTaken);
  });
});

describeWith(['promtool'], 'the scrape configuration on the landing page', () => {
  it('is one that Prometheus accepts', async () => {
    const { exporter } = await setUp();
    const file = join(await temporaryFolder(), 'prometheus.yml');
    await writeFile(file, scrapeConfig(await exporter.text('/')));
    expect(execFileSync(pathOf('promtool'), ['check', 'config', file], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    );
  });
});

describe('the words of the landing page', () => {
  it.each([
    [bytesOf(0), '0 B'],
    [bytesOf(1023), '1023 B'],
    [bytesOf(1536 * 1024 ** 2), '1.5 GiB'],
    [bytesOf(1023 * 1024 ** 3), '1023 GiB'],
    [bytesOf(2.85 * 1024 ** 5), '2.85 PiB'],
    [spanOf(-500), '0 s'],
    [spanOf(99_000), '99 s'],
    [spanOf(300_000), '5 min'],
    [spanOf(3 * 3_600_000), '3 h'],
    [spanOf(90 * dayMs), '90 days'],
    [counted(1, 'page'), '1 page'],
    [counted(1200, 'page'), '1,200 pages'],
  ])('are of numbers as people write them: %s', (written, text) => {
    expect(written).toBe(text);
  });

  it('escapes every piece that is not markup itself', () => {
    const inner = markup`<b>${'<&"\'>'}</b>`;
    expect(markup`${inner}${[inner, '<']}${undefined}${false}${0}`.text).toBe(
      '<b>&#60;&#38;&#34;&#39;&#62;</b><b>&#60;&#38;&#34;&#39;&#62;</b>&#60;0',
    );
    expect(prose('Lower `page_size` & <wait>.').text).toBe(
      'Lower <code>page_size</code> &#38; &#60;wait&#62;.',
    );
  });
});
