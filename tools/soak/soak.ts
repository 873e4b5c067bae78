import { parseArgs } from 'node:util';
import { soak } from './run.ts';
import { modes, type Mode } from './station.ts';

const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'detailed' },
    'late-ms': { type: 'string', default: '0' },
  },
});

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

if (!(values.mode in modes)) throw new Error(`--mode is one of ${Object.keys(modes).join(', ')}`);
const report = await soak({
  collections: Number(values.collections),
  timeLimitMs: Number(values.minutes) * 60_000,
  seed: Number(values.seed),
  mode: values.mode as Mode,
  toleratedLateMs: Number(values['late-ms']),
  onProgress: ({ collections, heapBytes, handles, descriptors }) =>
    line(
      `${collections} collections: ${(heapBytes / 1e6).toFixed(1)} MB, ${handles} handles, ${descriptors} descriptors`,
    ),
});

const { collections, failures, scrapes, staleAnswers, logins, retries, reloads, guesses, seconds } = report;
line(`${collections} collections (${failures} failed) and ${scrapes} scrapes in ${seconds.toFixed(0)} s`);
line(
  `${logins} logins, ${retries} retries, ${reloads} reloads, ${guesses} guesses of strangers, ${staleAnswers} answers from an earlier snapshot`,
);
line(`the scrape nearest to its timeout had ${report.leastLeftMs.toFixed(0)} ms left`);
line(`after the faults ended the cloud was back within ${report.mostScrapesToHeal} scrapes`);
line(`faults that struck: ${[...report.strikes].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
for (const fault of report.faults) line(`WRONG: ${fault}`);
line(report.faults.length === 0 ? 'nothing was wrong, late or left behind' : 'failed');
process.exitCode = report.faults.length === 0 ? 0 : 1;
