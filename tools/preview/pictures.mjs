import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildFolder, drawPictures } from './draw.mjs';
import { answerBoard } from './queries.mjs';

const names = ['fleet', 'project', 'gpu', 'lifecycle', 'host', 'growth', 'exporter'];

const { values: flags } = parseArgs({
  options: {
    // Draws from the history of the run before.
    again: { type: 'boolean', default: false },
    // A moment of the history: healthy, cloudDown, exporterGone, pair or empty.
    state: { type: 'string', default: 'healthy' },
    // One variable of the boards, such as cloud=paris, which has no trouble.
    choose: { type: 'string', multiple: true, default: [] },
    width: { type: 'string', default: '968' },
    light: { type: 'boolean', default: false },
    to: { type: 'string' },
    board: { type: 'string', multiple: true, default: names },
  },
});

const projectFolder = join(import.meta.dirname, '../..');
const pictureFolder = flags.to ?? join(projectFolder, 'docs/pictures');
const timeline = join(projectFolder, 'build/test/dashboards/timeline');
const history = join(buildFolder, 'history');
const momentsFile = join(history, 'moments.json');

if (!flags.again) {
  // Two histories in one folder would be mixed.
  await rm(history, { recursive: true, force: true });
  await mkdir(history, { recursive: true });
  const program = [join(timeline, 'write-history.js'), history];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: projectFolder });
  await writeFile(momentsFile, stdout);
}
await mkdir(pictureFolder, { recursive: true });
const { [flags.state]: atMs } = JSON.parse(await readFile(momentsFile, 'utf8'));
const { openHistory } = await import(join(timeline, 'open-history.js'));
const store = await openHistory(history);
const boards = {};
const chosen = Object.fromEntries(flags.choose.map((pair) => pair.split('=')));
try {
  for (const name of flags.board) {
    const board = JSON.parse(await readFile(join(projectFolder, 'dashboards', `${name}.json`), 'utf8'));
    boards[name] = await answerBoard(board, store.url, atMs / 1000, chosen);
  }
} finally {
  await store.stop();
}
const look = { width: Number(flags.width), theme: flags.light ? 'light' : 'dark' };
await drawPictures(boards, pictureFolder, look);
