import { parseArgs } from 'node:util';
import { soakHistories } from './histories.ts';
import { soakLastByte } from './last-byte.ts';
import { modes, soakWeather, type Outcome, type WeatherPlan } from './weather.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    collections: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'string', default: '50000' },
    mode: { type: 'string' },
    'late-ms': { type: 'string', default: '0' },
  },
});
const numberOf = (name: Exclude<keyof typeof values, 'mode'>) => Number(values[name]);
const runs: Readonly<Record<string, (plan: WeatherPlan) => Promise<Outcome>>> = {
  weather: soakWeather,
  histories: soakHistories,
  'last-byte': () => soakLastByte(numberOf('servers')),
};

const [run = 'weather'] = positionals;
const wanted =
  run !== 'weather' ? [run] : Object.keys(modes).filter((mode) => mode === (values.mode ?? mode));
if (!runs[run] || wanted.length === 0)
  throw new Error(
    `one of ${Object.keys(runs).join(', ')}, and --mode one of ${Object.keys(modes).join(', ')}`,
  );
for (const mode of wanted) {
  const [seed, lateMs] = [numberOf('seed'), numberOf('late-ms')];
  const limits = { collections: numberOf('collections'), minutes: numberOf('minutes'), lateMs };
  const { figures, faults } = await runs[run]({ mode: mode as WeatherPlan['mode'], seed, ...limits });
  const lines = Object.entries(figures).map(([words, figure]) => `  ${words}: ${figure}`);
  const wrong = faults.map((fault) => `  WRONG: ${fault}`);
  process.stdout.write(`${[`${run}, ${mode}, seed ${seed}:`, ...lines, ...wrong].join('\n')}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
