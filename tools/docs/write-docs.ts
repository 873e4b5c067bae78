import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { writeDashboards } from '../../dashboards/generate.ts';
import { renderChartFiles } from './chart-files.ts';
import { renderPages } from './pages.ts';

// Run from the project's folder, where npm runs it: the compiled script stands elsewhere.
const root = pathToFileURL(`${process.cwd()}/`);
const files = [...(await renderPages(root)), ...(await renderChartFiles(root))];
for (const [path, text] of files) await writeFile(new URL(path, root), text);
await writeDashboards('dashboards');
