import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, type RunningExporter } from '../support/simulated.ts';
import { weakContrasts } from './contrast.ts';

const quiet = ['background-networking', 'component-update', 'sync', 'gpu'].map((part) => `--disable-${part}`);

describeWith(['chromium'], 'the landing page in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      timeout: 0,
      args: ['--headless', '--no-sandbox', '--no-first-run', ...quiet],
    });
  });
  afterAll(() => browser.close());

  /** A page, and everything about it that should not have happened. */
  async function open(exporter: RunningExporter, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    // The test has a limit, and what it waits for on a page has none besides.
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    const troubles: string[] = [];
    // A breach of the content security policy is an error on the console too.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('request', (request) => {
      if (!['data:', exporter.url].some((start) => request.url().startsWith(start)))
        troubles.push(`asked for ${request.url()}`);
    });
    await page.goto(exporter.url);
    return { page, troubles };
  }

  const isTooWide = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

  async function healthy() {
    const cloud = await simulate({ servers: 60 });
    const exporter = await runExporter({ production: settingsFor(cloud) });
    await exporter.text('/metrics');
    return { cloud, exporter };
  }

  const sights = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [1280, 390].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
  );

  it.each(sights)('is whole and readable: $colorScheme, $viewport.width wide', async (sight) => {
    const [good, bad] = [await simulate({ servers: 40 }), await simulate({ servers: 5 })];
    const clouds = { good: settingsFor(good), bad: settingsFor(bad), unseen: settingsFor(bad) };
    const exporter = await runExporter(clouds);
    bad.faults.set({ operation: 'list', fault: { kind: 'status', code: 400 } });
    for (const cloud of ['good', 'bad']) await exporter.text(`/probe?cloud=${cloud}`);
    const { page, troubles } = await open(exporter, sight);
    await page.locator('summary').first().click();
    expect(await page.locator('.badge').allInnerTexts()).toEqual(['Up', 'Down', 'Idle']);
    expect(await isTooWide(page)).toBe(false);
    expect(await page.evaluate(weakContrasts)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it('tells by words and structure what it shows by colour, and can be used with the keyboard alone', async () => {
    const { exporter } = await healthy();
    const { page } = await open(exporter);
    await page.getByRole('banner').getByRole('link', { name: 'Metrics' }).waitFor();
    await page.getByRole('main').getByRole('article', { name: 'production' }).waitFor();
    await page.getByRole('img', { name: /^Servers by state: \d+ running, \d+ stopped/ }).waitFor();
    await page.getByRole('navigation', { name: 'Links for production' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.title()).toBe('1 of 1 cloud up – cloud-platform-exporter');
    const reached: string[] = [];
    while (reached.at(-1) !== 'Trace') {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { outlineStyle } = getComputedStyle(document.activeElement!);
        return { name: document.activeElement!.textContent.trim(), isVisible: outlineStyle !== 'none' };
      });
      expect(focused.isVisible, focused.name).toBe(true);
      reached.push(focused.name.split(/\s/)[0]!);
    }
    expect(reached).toEqual(expect.arrayContaining(['Metrics', 'Discover', 'Health', 'Readiness']));
  });

  it('shows hostile names as text and runs nothing of them', async () => {
    const evil = `"><img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
    const cloud = await simulate({ servers: 12 });
    const names = { name: `server ${evil}`, project: `project ${evil}`, status: `fail ${evil}` };
    cloud.quirks.rewriteServer = (server) => ({ ...server, ...names });
    const exporter = await runExporter({ [`cloud ${evil}`]: settingsFor(cloud) });
    await exporter.text('/metrics');
    const { page, troubles } = await open(exporter, { viewport: { width: 390, height: 900 } });
    await page.locator('summary').click();
    expect(await page.locator('h2').first().innerText()).toBe(`cloud ${evil}`);
    expect(await page.locator('tbody th').first().innerText()).toBe(`server ${evil}`);
    expect(await page.locator('tbody tr').first().innerText()).toContain(`project ${evil}`);
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.title()).not.toContain('hacked');
    expect(await isTooWide(page)).toBe(false);
    expect(troubles).toEqual([]);

    await page.getByRole('link', { name: 'Trace a collection' }).click();
    expect(await page.locator('body').innerText()).toContain(`cloud ${evil}, asked at`);
  });
});
