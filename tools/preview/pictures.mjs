import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawPictures } from './draw.mjs';
import { openHistory, writeHistory } from './history.mjs';
import { answerBoard } from './queries.mjs';

const names = ['fleet', 'project', 'gpu', 'lifecycle', 'host', 'growth', 'exporter'];

const { values: flags } = parseArgs({
  options: {
    // Draws from the history of the run before.
    again: { type: 'boolean', default: false },
    // A moment of the history: healthy, cloudDown, exporterGone, oneExporter, twoExporters or empty.
    state: { type: 'string', default: 'healthy' },
    cloud: { type: 'string' },
    width: { type: 'string', default: '1500' },
    light: { type: 'boolean', default: false },
    to: { type: 'string' },
    board: { type: 'string', multiple: true },
  },
});

const previewFolder = dirname(fileURLToPath(import.meta.url));
const projectFolder = join(previewFolder, '../..');
const buildFolder = join(previewFolder, 'build');
const pictureFolder = flags.to ?? join(projectFolder, 'docs/pictures');
const folder = join(buildFolder, 'history');

await mkdir(pictureFolder, { recursive: true });
const moments = await writeHistory({ projectFolder, folder, again: flags.again });
const atSeconds = moments[flags.state] / 1000;
const store = await openHistory({ projectFolder, folder });
const boards = {};
try {
  for (const name of flags.board ?? names) {
    const board = JSON.parse(await readFile(join(projectFolder, 'dashboards', `${name}.json`), 'utf8'));
    boards[name] = await answerBoard(board, store.url, { atSeconds, cloud: flags.cloud });
  }
} finally {
  await store.stop();
}
const look = { width: Number(flags.width), theme: flags.light ? 'light' : 'dark' };
await drawPictures(boards, { previewFolder, buildFolder, pictureFolder, look });
