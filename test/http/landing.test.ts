import { describe, expect, it } from 'vitest';
import { createLanding } from '../../src/http/landing.ts';
import type { CloudView } from '../../src/inventory/collector.ts';
import { Failure } from '../../src/transport/failure.ts';
import { snapshotOf, viewOf } from '../metrics/hand-made.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { truthOf } from '../simulator/truth.ts';

/** What a reader sees: no tags, one blank between words. */
function words(page: string): string {
  const body = page.slice(page.indexOf('<main>'), page.indexOf('</main>'));
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');
}

describe('the landing page', () => {
  it('says that nothing was collected, offers to, and asks the platform for nothing itself', async () => {
    const { cloud, exporter } = await exportCloud();
    const page = await exporter.text('/');
    expect(words(page)).toContain('0 of 1 cloud up');
    expect(words(page)).toContain('one Idle');
    expect(page).toContain('<a href="./probe?cloud=one">Collect now</a>');
    expect(cloud.journal.entries).toEqual([]);
  });

  it('shows what the latest scrape learned', async () => {
    const passwordExpiresAt = Date.now() + 90.5 * 86_400_000;
    const { fleet, exporter } = await exportCloud({ servers: 1500, passwordExpiresAt });
    await exporter.text('/metrics');
    const page = words(await exporter.text('/'));
    const { rows, devices } = truthOf(fleet);
    const total = <Row>(items: readonly Row[], numberOf: (row: Row) => number) =>
      items.reduce((sum, row) => sum + numberOf(row), 0);
    const running = total(rows, ({ status, servers, pendingDeletion }) =>
      status === 'running' ? servers - pendingDeletion : 0,
    );
    const gpus = total(devices, ({ dev_type, count }) => (dev_type.includes('GPU') ? count : 0));
    const [memory, disk] = [total(rows, ({ memoryMiB }) => memoryMiB), total(rows, ({ diskMiB }) => diskMiB)];
    for (const shown of [
      '1 of 1 cloud up',
      `${running.toLocaleString('en-US')} running`,
      'servers 1,500',
      `vCPUs ${total(rows, ({ vcpus }) => vcpus).toLocaleString('en-US')}`,
      `memory ${(memory / 1024 ** 2).toPrecision(3)} TiB`,
      `disk ${(disk / 1024 ** 3).toPrecision(3)} PiB`,
      `GPUs ${gpus} `,
      'renewed by itself',
      `Password expires ${new Date(passwordExpiresAt).toISOString().slice(0, 10)}`,
      'Scope system, as query says',
    ])
      expect(page).toContain(shown);
    expect(page).toMatch(/one Up as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(page).toMatch(/1,500 of 1,500 servers, 0 unreadable; in \d+ pages from \d+ projects/);
  });

  it('names the servers that need attention, and counts the rest', async () => {
    const { cloud, exporter } = await exportCloud({ servers: 40 });
    const failed = { status: 'start_fail', power_states: 'off', expired_at: null };
    cloud.quirks.rewriteServer = (server) => ({ ...server, ...failed });
    await exporter.text('/metrics');
    const page = await exporter.text('/');
    for (const shown of ['40 failed', 'failed, start_fail', ' more in cloud_server_problem'])
      expect(words(page)).toContain(shown);
    expect(page.match(/<th scope="row">/g)).toHaveLength(8);
  });

  it('says that nobody scrapes, once the last numbers are too old to show', async () => {
    const { clock, exporter } = await exportCloud({ clock: createManualClock() });
    await exporter.text('/metrics');
    await clock.advance(90_000);
    expect(words(await exporter.text('/'))).toContain('one Up as of');
    await clock.advance(300_000);
    const page = words(await exporter.text('/'));
    expect(page).toContain('one Idle');
    expect(page).toContain('so there are no numbers. Collect now');
    expect(page).not.toContain('vCPUs');
  });

  it('makes the card of a cloud once for what a collection brought, however often it is asked for', async () => {
    const page = createLanding({
      version: '1',
      telemetryPath: '/metrics',
      yieldToEventLoop: async () => undefined,
    });
    let readings = 0;
    const view = viewOf({
      ...snapshotOf(),
      get hosts() {
        readings += 1;
        return undefined;
      },
    });
    const look = async (views: readonly CloudView[]) => {
      let text = '';
      for await (const piece of page(views, 0)) text += piece.toString();
      return text;
    };
    for (let time = 0; time < 3; time += 1) await look([{ ...view, snapshotAgeMs: time }]);
    const made = readings;
    const failure = new Failure('timeout', 'too late', { operation: 'login' });
    expect(await look([{ ...view, failure }])).toContain('too late');
    expect([made > 0, readings]).toEqual([true, 2 * made]);
  });

  it('forbids everything that it does not need itself', async () => {
    const { exporter } = await exportCloud();
    const headers = Object.fromEntries((await fetch(exporter.url)).headers);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+';/),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });
});
