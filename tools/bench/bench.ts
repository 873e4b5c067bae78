import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatted, replaceSection } from '../docs/section.ts';
import { measure, modes, type Mode } from './contest.ts';
import { machineLine, sizeTables } from './report.ts';
import { openSides } from './side.ts';
import { way } from './way.ts';

const page = 'tools/bench/result.md';
/** What each part measures unless it is said otherwise. */
const parts: Readonly<
  Record<string, Readonly<Record<'sizes' | 'modes' | 'starts' | 'warm-ups' | 'scrapes', string>>>
> = {
  compare: {
    sizes: '20000,100000',
    modes: 'default,detailed',
    starts: 'image',
    'warm-ups': '62',
    scrapes: '6',
  },
  memory: {
    sizes: '10000,100000',
    modes: 'default',
    starts: 'image,npm,installed,unit',
    'warm-ups': '100',
    scrapes: '0',
  },
  quick: { sizes: '20000', modes: 'default,detailed', starts: 'image', 'warm-ups': '20', scrapes: '3' },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A commit, to be measured in turn with this one. */
    against: { type: 'string' },
    sizes: { type: 'string' },
    modes: { type: 'string' },
    /** Of image, npm, installed, unit: by whose environment and flags. */
    starts: { type: 'string' },
    /** Of Node; each time it is given is one more side. */
    flags: { type: 'string', multiple: true, default: [''] },
    'warm-ups': { type: 'string' },
    scrapes: { type: 'string' },
    /** Seconds between two scrapes. */
    rest: { type: 'string', default: '15' },
    /** The same as the part of this name. */
    quick: { type: 'boolean', default: false },
    /** Puts the result into tools/bench/result.md. */
    write: { type: 'boolean', default: false },
  },
});
const [part = values.quick ? 'quick' : 'compare'] = positionals;
const text = [machineLine(), part === 'way' ? await way() : await compare()].join('\n\n');
process.stdout.write(`${text}\n`);
if (values.write) {
  const section = part === 'quick' ? 'compare' : part;
  writeFileSync(page, await formatted(page, replaceSection(readFileSync(page, 'utf8'), section, text)));
}

async function compare(): Promise<string> {
  const usual = parts[part];
  if (!usual) throw new Error(`one of way, ${Object.keys(parts).join(', ')}, not ${part}`);
  const listOf = (key: keyof typeof usual) => (values[key] ?? usual[key]).split(',');
  const plan = {
    warmUps: Number(listOf('warm-ups')[0]),
    scrapes: Number(listOf('scrapes')[0]),
    restMs: 1000 * Number(values.rest),
  };
  const chosen = (Object.keys(modes) as Mode[]).filter((mode) => listOf('modes').includes(mode));
  const { sides, end } = openSides({ ...values, starts: listOf('starts') });
  const rests = `${plan.scrapes} scrapes of each kind, each after a rest of ${values.rest} s`;
  const tables = [`${plan.warmUps} scrapes back to back, a minute apart by all clocks; then ${rests}.`];
  try {
    for (const servers of listOf('sizes').map(Number)) {
      process.stderr.write(`${servers} servers\n`);
      tables.push(sizeTables(servers, await measure(sides, chosen, servers, plan)));
    }
  } finally {
    end();
  }
  return tables.join('\n\n');
}
