import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { letAgentDie } from './agent-dies.ts';
import { startCloudProcesses } from './cloud-processes.ts';
import { measureCost } from './cost.ts';
import { letExporterDie } from './exporter-dies.ts';
import { letHalfHang } from './half-hangs.ts';
import { addShard } from './more-shards.ts';
import { startNotifier } from './notifier.ts';
import { untilWhole, type Verdict } from './observation.ts';
import { costTable, headLine, verdictLine } from './report.ts';
import { sizeFrom } from './size.ts';
import { setStage, type Stage } from './stage.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const size = sizeFrom(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'exporter-scale-'));
const clouds = await startCloudProcesses({
  count: size.clouds,
  servers: size.servers,
  processes: Math.min(size.clouds, cpus().length),
});
const notifier = await startNotifier();
let stage: Stage | undefined;
const verdicts: Verdict[] = [];

function judge(found: readonly Verdict[]): void {
  for (const verdict of found) say(verdictLine(verdict));
  verdicts.push(...found);
}

try {
  stage = await setStage({ size, clouds, main: join('dist', 'main.js'), folder, notifier: notifier.url });
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
  const scenes = size.costOnly ? [] : [letExporterDie, letHalfHang, letAgentDie, addShard];
  for (const scene of scenes) judge(await scene(stage));
} finally {
  await stage?.stop();
  await clouds.stop();
  notifier.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = verdicts.every(({ holds }) => holds) ? 0 : 1;
