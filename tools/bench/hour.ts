import { settingsFor } from '../../test/support/settings.ts';
import { startBilledCloud } from './billed-cloud.ts';
import { createShortPauses, exporterHere, minuteMs } from '../exporter-here.ts';
import { count, table } from './report.ts';
import { mean, modes, type Mode } from './scenarios.ts';

const detailed: Mode = 'detailed, needed fields';
const compared: readonly Mode[] = [detailed, 'light, the default', 'changes'];
const minutes = 60;

/** What the platform spends on each kind of list within a simulated hour after the first one, by what it charges. */
export async function hour(servers: number): Promise<string> {
  const clock = createShortPauses();
  const cloud = await startBilledCloud(servers, clock.now);
  await clock.advance(60 * minuteMs);
  const exporters = [];
  for (const mode of compared)
    exporters.push({ mode, ...(await exporterHere(() => settingsFor(cloud, modes[mode]), clock)) });
  const spent = new Map(compared.map((mode): [Mode, number[]] => [mode, []]));
  try {
    for (let minute = 0; minute <= minutes; minute += 1) {
      await clock.advance(minuteMs);
      cloud.change(100);
      for (const { mode, scrape } of exporters) {
        cloud.takeBill();
        if (!/^cloud_up\S* 1$/m.test(await scrape())) throw new Error(`a scrape of ${mode} failed`);
        spent.get(mode)!.push(cloud.takeBill().milliseconds);
      }
    }
  } finally {
    for (const { stop } of exporters) await stop();
    await cloud.close();
  }
  const usual = mean(spent.get(detailed)!.slice(1));
  const rows = compared.map((mode) => {
    const [first, ...later] = spent.get(mode)!;
    const sorted = later.toSorted((one, other) => one - other);
    const figures = [first!, sorted[0]!, mean(later), sorted.at(-1)!];
    const ratios = [mean(later), sorted.at(-1)!].map((ms) => (ms / usual).toFixed(3));
    return [mode, ...figures.map((ms) => (ms / 1000).toFixed(2)), ...ratios];
  });
  const columns = 'lists,first s,least s,mean s,most s,mean × detailed,worst minute × detailed';
  const title = `### The platform's work within an hour, ${count(servers)} servers, a scrape a minute`;
  const words = `One server in a hundred changed a minute; ${minutes} minutes after the first list.`;
  return `${title}\n\n${words}\n\n${table(columns.split(','), rows)}`;
}
