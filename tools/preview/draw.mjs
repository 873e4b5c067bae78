import { writeFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import sharp from 'sharp';

/** Nobody listens there: the browser is given each file by hand. */
const origin = 'http://board.invalid';

/** A picture of each board, taken by a real browser from a page that needs no server. */
export async function drawPictures(boards, { previewFolder, buildFolder, pictureFolder, look }) {
  const { width } = look;
  await bundle({ previewFolder, buildFolder });
  // The browser's driver is the one that the project's tests use.
  const { chromium } = createRequire(join(previewFolder, '../../package.json'))('playwright-core');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  try {
    for (const [name, board] of Object.entries(boards)) {
      const page = await browser.newPage({ viewport: { width, height: 1000 } });
      page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
      await page.route(`${origin}/**`, (route) =>
        route.fulfill({ path: fileOf(route, { previewFolder, buildFolder }) }),
      );
      await page.goto(`${origin}/page.html`);
      const height = await page.evaluate(([board, look]) => window.drawBoard(board, look), [board, look]);
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(3000);
      const path = join(pictureFolder, `${name}.png`);
      // A palette of 256 colours makes a third of the size, and nobody sees it.
      await sharp(await page.screenshot())
        .png({ palette: true, effort: 10 })
        .toFile(path);
      console.log(`${path}: ${width} × ${height}, ${Math.round((await stat(path)).size / 1000)} kB`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

function fileOf(route, { previewFolder, buildFolder }) {
  const { pathname } = new URL(route.request().url());
  const packages = join(previewFolder, 'node_modules');
  if (pathname.includes('/img/icons/'))
    return join(packages, '@grafana/ui/dist/public', pathname.slice(pathname.indexOf('/img/icons/')));
  // Grafana asks for a file for each weight; the variable font has them all.
  if (/Inter-\w+\.woff2$/.test(pathname))
    return join(packages, '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  return join(buildFolder, basename(pathname));
}

async function bundle({ previewFolder, buildFolder }) {
  await build({
    entryPoints: [join(previewFolder, 'page.jsx')],
    outdir: buildFolder,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    jsx: 'automatic',
    loader: { '.ttf': 'empty' },
    define: { 'process.env.NODE_ENV': '"production"', global: 'window' },
    logLevel: 'error',
  });
  await writeFile(
    join(buildFolder, 'page.html'),
    '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="page.css"><body><script src="page.js"></script>',
  );
}
