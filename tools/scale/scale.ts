import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { letAgentDie } from './agent-dies.ts';
import { startCloudProcesses } from './cloud-processes.ts';
import { measureCost } from './cost.ts';
import { storeDay } from './day.ts';
import { letExporterDie } from './exporter-dies.ts';
import { letHalfHang } from './half-hangs.ts';
import { addShard } from './more-shards.ts';
import { startNotifier } from './notifier.ts';
import { untilWhole, type Verdict } from './observation.ts';
import { costTable, dayLine, headLine, verdictLine } from './report.ts';
import { sizeFrom, type SceneName, type Size } from './size.ts';
import { setStage, type Stage } from './stage.ts';

const main = join('dist', 'main.js');

const scenes: Readonly<Record<SceneName, (stage: Stage) => Promise<Verdict[]>>> = {
  'exporter-dies': letExporterDie,
  'half-hangs': letHalfHang,
  'agent-dies': letAgentDie,
  'more-shards': addShard,
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Whether everything held. */
async function play(size: Size, folder: string): Promise<boolean> {
  const clouds = await startCloudProcesses({
    count: size.clouds,
    servers: size.servers,
    processes: Math.min(size.clouds, cpus().length),
  });
  const notifier = await startNotifier();
  let stage: Stage | undefined;
  const verdicts: Verdict[] = [];
  const judge = (found: readonly Verdict[]) => {
    for (const verdict of found) say(verdictLine(verdict));
    verdicts.push(...found);
  };
  try {
    stage = await setStage({ size, clouds, main, folder, notifier: notifier.url });
    say(headLine(size, stage.heldAlerts));
    const { right } = await untilWhole(stage);
    judge([
      {
        title: 'the recorded sums are right',
        holds: right.length === clouds.list.length,
        numbers: `of ${right.length} of ${clouds.list.length} clouds`,
      },
    ]);
    say(`\n${costTable(await measureCost(stage), size)}\n`);
    for (const name of size.scenes) judge(await scenes[name](stage));
  } finally {
    await stage?.stop();
    await clouds.stop();
    notifier.stop();
  }
  return verdicts.every(({ holds }) => holds);
}

const size = sizeFrom(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'exporter-scale-'));
try {
  if (size.day) say(dayLine(await storeDay({ servers: size.servers, main, folder }), size.servers));
  else process.exitCode = (await play(size, folder)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
