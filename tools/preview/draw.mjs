import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import sharp from 'sharp';

/** Pixels at each side of a board. */
const margin = 16;
/** Nobody listens there: the browser is given the page and each file by hand. */
const origin = 'http://board.invalid/';
const html =
  '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="page.css"><body><script src="page.js"></script>';

const previewFolder = import.meta.dirname;
export const buildFolder = join(previewFolder, 'build');

/** A picture of each board, taken by a real browser from a page that needs no server; fails where it can not be read. */
export async function drawPictures(boards, pictureFolder, look) {
  const { width } = look;
  await bundle();
  // The browser's driver is the one that the project's tests use.
  const { chromium } = createRequire(join(previewFolder, '../../package.json'))('playwright-core');
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    for (const [name, board] of Object.entries(boards)) {
      const page = await browser.newPage({ viewport: { width: width + 2 * margin, height: 1000 } });
      page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
      await page.route(`${origin}**`, (route) => {
        const { pathname } = new URL(route.request().url());
        if (pathname === '/') return route.fulfill({ body: html, contentType: 'text/html' });
        return route.fulfill({ path: fileOf(pathname) });
      });
      // How long ago something was is said as of then.
      await page.clock.setFixedTime(board.toSeconds * 1000);
      await page.goto(origin);
      const height = await page.evaluate(([board, look]) => window.drawBoard(board, look), [board, look]);
      await page.setViewportSize({ width: width + 2 * margin, height });
      await page.waitForTimeout(3000);
      for (const text of await page.evaluate(() => window.measureBoard())) {
        console.error(`${name} ${width} ${look.theme}: ${text}`);
        process.exitCode = 1;
      }
      const path = join(pictureFolder, `${name}.png`);
      // A palette of 256 colours makes a third of the size, and nobody sees it.
      const picture = sharp(await page.screenshot({ timeout: 0 })).png({ palette: true, effort: 10 });
      const { size } = await picture.toFile(path);
      console.log(`${path}: ${width} × ${height}, ${Math.round(size / 1000)} kB`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

function fileOf(pathname) {
  const packages = join(previewFolder, 'node_modules');
  if (pathname.includes('/img/icons/'))
    return join(packages, '@grafana/ui/dist/public', pathname.slice(pathname.indexOf('/img/icons/')));
  // Grafana asks for a file for each weight; the variable font has them all.
  if (/Inter-\w+\.woff2$/.test(pathname))
    return join(packages, '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  return join(buildFolder, basename(pathname));
}

async function bundle() {
  await build({
    entryPoints: [join(previewFolder, 'page.jsx')],
    outdir: buildFolder,
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    loader: { '.ttf': 'empty' },
    define: { 'process.env.NODE_ENV': '"production"', global: 'window' },
  });
}
