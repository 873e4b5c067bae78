import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawPictures } from './draw.mjs';
import { startLiveData } from './live.mjs';
import { answerBoard } from './queries.mjs';

const names = ['fleet', 'project', 'gpu', 'lifecycle', 'exporter'];
const seconds = 120;
/** A rate needs a while before it says something, and so does the minute that stands for a day. */
const warmUpSeconds = 75;

const previewFolder = dirname(fileURLToPath(import.meta.url));
const projectFolder = join(previewFolder, '../..');
const buildFolder = join(previewFolder, 'build');
const pictureFolder = join(projectFolder, 'docs/pictures');

async function liveBoards() {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const live = await startLiveData({ projectFolder, folder });
  try {
    console.log(`the demo runs for ${warmUpSeconds + seconds} seconds`);
    await wait((warmUpSeconds + seconds) * 1000);
    const toSeconds = Math.floor(Date.now() / 1000);
    const boards = {};
    for (const name of names) {
      const board = JSON.parse(await readFile(join(projectFolder, 'dashboards', `${name}.json`), 'utf8'));
      boards[name] = await answerBoard(board, live.url, { fromSeconds: toSeconds - seconds, toSeconds });
    }
    return boards;
  } finally {
    await live.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await mkdir(buildFolder, { recursive: true });
await mkdir(pictureFolder, { recursive: true });
const answersFile = join(buildFolder, 'answers.json');
// To work on the drawing alone, the answers of the run before can be drawn again.
if (!process.argv.includes('--again')) await writeFile(answersFile, JSON.stringify(await liveBoards()));
const boards = JSON.parse(await readFile(answersFile, 'utf8'));
await drawPictures(boards, { previewFolder, buildFolder, pictureFolder });
