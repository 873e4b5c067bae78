import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
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

describe('the landing page', () => {
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
    const total = <Row>(items: readonly Row[], numberOf: (row: Row) => number) =>
      items.reduce((sum, row) => sum + numberOf(row), 0);
    const running = total(rows, ({ status, servers, pendingDeletion }) =>
      status === 'running' ? servers - pendingDeletion : 0,
    );
    const gpus = total(devices, ({ dev_type, count }) => (dev_type.includes('GPU') ? count : 0));
    const [memory, disk] = [total(rows, ({ memoryMiB }) => memoryMiB), total(rows, ({ diskMiB }) => diskMiB)];
    for (const shown of [
      'The cloud is up',
      `${running.toLocaleString('en-US')} running`,
      'servers 1,500',
      `vCPUs ${total(rows, ({ vcpus }) => vcpus).toLocaleString('en-US')}`,
      `memory ${(memory / 1024 ** 2).toPrecision(3)} TiB`,
      `disk ${(disk / 1024 ** 3).toPrecision(3)} PiB`,
      `GPUs ${gpus} `,
      'Token expires in 24 h',
      'Password expires in 90 days',
      'Scope system, as query says',
    ])
      expect(page).toContain(shown);
    expect(page).toMatch(/lab Up as of \d+ s ago/);
    expect(page).toMatch(/1,500 servers in \d+ pages from \d+ projects/);
  });

  it('names the servers that need attention, and counts the rest', async () => {
    const { cloud, exporter } = await setUp({ servers: 40 });
    cloud.quirks.rewriteServer = (server) => ({
      ...server,
      status: 'start_fail',
      power_states: 'off',
      expired_at: null,
    });
    await exporter.text('/metrics');
    const page = await exporter.text('/');
    for (const shown of ['40 failed', 'failed, start_fail', ' more in cloud_server_problem'])
      expect(words(page)).toContain(shown);
    expect(page.match(/<th scope="row">/g)).toHaveLength(8);
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

  it('forbids everything that it does not need itself', async () => {
    const { exporter } = await setUp();
    const headers = Object.fromEntries((await fetch(exporter.url)).headers);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/,
      ),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });
});
