import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { writeDashboards } from '../../dashboards/generate.ts';
import { writeChartFiles } from './chart-files.ts';
import { renderPages } from './pages.ts';

// Run from the project's folder, where npm runs it: the compiled script stands elsewhere.
const root = pathToFileURL(`${process.cwd()}/`);
for (const [path, page] of await renderPages(root)) await writeFile(new URL(path, root), page);
await writeDashboards('dashboards');
await writeChartFiles(root);
