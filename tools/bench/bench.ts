import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { replaceSection } from '../docs/section.ts';
import { hour } from './hour.ts';
import { askedTable, machineLine, sizeTable } from './report.ts';
import { modes, race, type Mode, type Result } from './scenarios.ts';
import { otherSide, temporaryFolder, thisSide } from './side.ts';
import { way } from './way.ts';

const page = 'tools/bench/result.md';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A commit, to be measured in turn with this one. */
    against: { type: 'string' },
    sizes: { type: 'string', default: '1000,10000,20000,100000' },
    modes: { type: 'string' },
    starts: { type: 'string', default: '5' },
    'warm-ups': { type: 'string', default: '32' },
    rounds: { type: 'string', default: '15' },
    /** More settings of both, as JSON, such as {"list_storages":false}. */
    settings: { type: 'string', default: '{}' },
    /** Puts the result into tools/bench/result.md. */
    write: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes.split(',').map(Number);

async function compare(): Promise<string[]> {
  const words = Object.keys(modes) as Mode[];
  const chosen = words.filter((mode) => values.modes?.split(',').some((word) => mode.includes(word)) ?? true);
  const pace = {
    starts: Number(values.starts),
    warmUps: Number(values['warm-ups']),
    rounds: Number(values.rounds),
  };
  const folder = temporaryFolder();
  const other = values.against === undefined ? undefined : otherSide(values.against, folder.path);
  try {
    const sides = [thisSide(folder.path), ...(other ? [other] : [])];
    const tables: string[] = [];
    let results: Result[] = [];
    for (const servers of sizes) {
      process.stderr.write(`${servers} servers\n`);
      results = await race(sides, servers, chosen, pace, JSON.parse(values.settings) as object);
      tables.push(sizeTable(servers, results));
    }
    const paceLine = `${pace.starts} first scrapes and ${pace.rounds} later ones of each, after ${pace.warmUps} that are not counted.`;
    return [`${machineLine()} ${paceLine}`, askedTable(results), ...tables];
  } finally {
    other?.end();
    folder.remove();
  }
}

/** What `npm run bench -- NAME` prints alone, of the first size. */
const parts: Readonly<Record<string, () => Promise<string[]>>> = {
  async way() {
    return [machineLine(), await way(sizes[0]!)];
  },
  async hour() {
    return [machineLine(), await hour(values.sizes.includes(',') ? 10_000 : sizes[0]!)];
  },
  compare,
};

const [part = 'compare'] = positionals;
if (!parts[part]) throw new Error(`${part} is none of ${Object.keys(parts).join(', ')}`);
const text = (await parts[part]()).join('\n\n');
process.stdout.write(`${text}\n`);
if (values.write) writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), part, text));
