import { readFile } from 'node:fs/promises';
import { alertTable } from './alert-table.ts';
import { checkExample } from './check-example.ts';
import { scrapeExample } from './scrape-example.ts';
import { sampleOutput } from './sample-output.ts';
import { formatted, replaceSection } from './section.ts';
import { failureList, flagList, metricReference, metricTable, settingsTable } from './sections.ts';

/** The parts of each page that are written by the code they describe, by the name in their marks. */
const generated: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  'README.md': { sample: sampleOutput, metrics: metricTable },
  'docs/metrics.md': { reference: metricReference },
  'docs/configuration.md': { settings: settingsTable, flags: flagList },
  'docs/check.md': { report: checkExample, scrape: scrapeExample },
  'docs/failures.md': { failures: failureList },
  'dashboards/runbook.md': { alerts: alertTable },
};

/** Every page as it should be, from the project's folder. */
export async function renderPages(root: URL): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const [path, sections] of Object.entries(generated)) {
    let page = await readFile(new URL(path, root), 'utf8');
    for (const [name, render] of Object.entries(sections)) page = replaceSection(page, name, await render());
    pages.set(path, await formatted(path, page));
  }
  return pages;
}
