import { parseArgs } from 'node:util';
import { soakChanges } from './changes.ts';
import { soakIncomplete } from './incomplete.ts';
import { soakWeather } from './weather.ts';
import { modes, type Mode, type Tally } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    collections: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string' },
    'late-ms': { type: 'string', default: '0' },
  },
});
const seed = Number(values.seed);
const wanted = Object.keys(modes).filter((mode) => (values.mode ?? mode) === mode) as Mode[];
if (wanted.length === 0) throw new Error(`--mode is one of ${Object.keys(modes).join(', ')}`);
const say = (text: string) => void process.stdout.write(`${text}\n`);

const runs: Readonly<Record<string, (mode: Mode) => Promise<Tally>>> = {
  weather: (mode) =>
    soakWeather({
      mode,
      seed,
      collections: Number(values.collections ?? 5000),
      minutes: Number(values.minutes),
      lateMs: Number(values['late-ms']),
    }),
  incomplete: (mode) => soakIncomplete(mode, Number(values.collections ?? 5000), seed),
  changes: () => soakChanges(Number(values.collections ?? 20_000), seed),
};

const [run = 'weather'] = positionals;
if (!runs[run]) throw new Error(`${run} is none of ${Object.keys(runs).join(', ')}`);
for (const mode of run === 'changes' ? (['changes'] as const) : wanted) {
  const { figures, faults } = await runs[run](mode);
  say(`${run}, ${mode}, seed ${seed}:`);
  for (const [words, figure] of Object.entries(figures)) say(`  ${words}: ${figure}`);
  for (const fault of faults) say(`  WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
