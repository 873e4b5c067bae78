import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { replaceSection } from '../docs/section.ts';
import { askedTable, machineLine, sizeTable } from './report.ts';
import { modes, race, type Mode, type Result } from './scenarios.ts';
import { openSides } from './side.ts';
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
const chosen = (Object.keys(modes) as Mode[]).filter(
  (mode) => values.modes?.split(',').some((word) => mode.includes(word)) ?? true,
);
const pace = {
  starts: Number(values.starts),
  warmUps: Number(values['warm-ups']),
  rounds: Number(values.rounds),
};

/** One table of costs for each size, or the way of a scrape through the code. */
const [part = 'compare'] = positionals;
const text = [machineLine(), part === 'way' ? await way() : await compare()].join('\n\n');
process.stdout.write(`${text}\n`);
if (values.write) writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), part, text));

async function compare(): Promise<string> {
  const { sides, end } = openSides(values.against);
  const tables: string[] = [];
  let results: Result[] = [];
  try {
    for (const servers of values.sizes.split(',').map(Number)) {
      process.stderr.write(`${servers} servers\n`);
      results = await race(sides, servers, chosen, pace, JSON.parse(values.settings) as object);
      tables.push(sizeTable(servers, results));
    }
  } finally {
    end();
  }
  const { starts, rounds, warmUps } = pace;
  const words = `${starts} first scrapes and ${rounds} later ones of each, after ${warmUps} that are not counted.`;
  return [words, askedTable(results), ...tables].join('\n\n');
}
