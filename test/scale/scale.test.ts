import { expect, it, onTestFinished } from 'vitest';
import { buildProgram } from '../support/program.ts';
import { describeWith } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { startClouds } from './clouds.ts';
import { letExporterDie } from './exporter-dies.ts';
import { addShard } from './more-shards.ts';
import { startNotifier } from './notifier.ts';
import { untilWhole, verdictsThatFail } from './observation.ts';
import { sizeFrom } from './size.ts';
import { setStage } from './stage.ts';

// Small, and without what is measured in seconds; `npm run scale` is large, and lets clouds hang and agents die as well.
describeWith(
  ['prometheus', 'victoria-metrics', 'vmalert'],
  'shards, agents that share the clouds, and one store',
  () => {
    it('count each cloud once, say which are gone with an exporter, and take one shard more', async () => {
      const size = sizeFrom(['--clouds=12', '--servers=20', '--interval=2']);
      const clouds = await startClouds({ count: size.clouds, servers: size.servers });
      onTestFinished(() => clouds.stop());
      const notifier = await startNotifier();
      onTestFinished(() => notifier.stop());
      const program = await buildProgram();
      onTestFinished(() => program.remove());
      const folder = await temporaryFolder();
      const stage = await setStage({ size, clouds, main: program.main, folder, notifier: notifier.url });
      onTestFinished(() => stage.stop());
      expect(await untilWhole(stage)).toMatchObject({ wrong: [], absent: [] });
      expect(verdictsThatFail(await letExporterDie(stage))).toEqual([]);
      expect(verdictsThatFail(await addShard(stage))).toEqual([]);
    }, 180_000);
  },
);
