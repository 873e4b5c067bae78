import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildFolder, drawPictures } from './draw.mjs';
import { answerBoard } from './queries.mjs';

const { values: flags } = parseArgs({
  options: {
    // Draws from the history of the run before.
    again: { type: 'boolean', default: false },
    // Draws these boards into the build folder; without, that of the README.
    board: { type: 'string', multiple: true },
  },
});

const projectFolder = join(import.meta.dirname, '../..');
const pictureFolder = flags.board ? buildFolder : join(projectFolder, 'docs/pictures');
const compiled = join(projectFolder, 'build/test/dashboards');
const history = join(buildFolder, 'history');
const endFile = join(history, 'end');

if (!flags.again) {
  // Two histories in one folder would be mixed.
  await rm(history, { recursive: true, force: true });
  await mkdir(history, { recursive: true });
  const program = [join(compiled, 'timeline/write-history.js'), history];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: projectFolder });
  await writeFile(endFile, stdout);
}
const endSeconds = Number(await readFile(endFile, 'utf8'));
const { openHistory, ask } = await import(join(compiled, 'timeline/open-history.js'));
const { substitute } = await import(join(compiled, 'boards.js'));
const { job } = await import(join(compiled, 'timeline/tell.js'));
const store = await openHistory(history);
const boards = {};
try {
  for (const name of flags.board ?? ['fleet']) {
    const board = JSON.parse(await readFile(join(projectFolder, 'dashboards', `${name}.json`), 'utf8'));
    boards[name] = await answerBoard(board, { url: store.url, ask, substitute, job }, endSeconds);
  }
} finally {
  await store.stop();
}
await drawPictures(boards, pictureFolder);
