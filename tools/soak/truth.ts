import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { countServers, type Truth } from '../../test/simulator/truth.ts';
import { parseExposition, type Parsed } from '../../test/support/exposition.ts';
import { addUp, addUpSamples, sums } from '../../test/support/truth.ts';

type Servers = Pick<Fleet, 'servers'>;

/** What may be reported of a time in which servers came, went and changed. */
interface Range {
  /** Of those that were there all the time, as they were all the time. */
  readonly least: Truth;
  /** Of all that ever were there, in every way that they were. */
  readonly most: Truth;
  /** Who was there all the time, and who ever was. */
  readonly stayed: ReadonlySet<string>;
  readonly ever: ReadonlySet<string>;
}

const idsOf = (servers: Iterable<{ readonly id: string }>) => new Set([...servers].map(({ id }) => id));

/** Remembers what there was in a fleet while a list was read. A list of a moving fleet is of no single moment. */
export function createChronicle(fleet: Servers) {
  let [unchanged, ever] = [new Set(fleet.servers), new Set(fleet.servers)];
  let stayed = idsOf(fleet.servers);
  return {
    /** From now on the range is what is there now, and nothing else. */
    begin() {
      [unchanged, ever, stayed] = [new Set(fleet.servers), new Set(fleet.servers), idsOf(fleet.servers)];
    },
    /** To be called after each change. */
    note() {
      const [now, present] = [new Set(fleet.servers), idsOf(fleet.servers)];
      unchanged = new Set([...unchanged].filter((server) => now.has(server)));
      stayed = new Set([...stayed].filter((id) => present.has(id)));
      for (const server of now) ever.add(server);
    },
    range: (): Range => ({
      least: countServers([...unchanged]),
      most: countServers([...ever]),
      stayed,
      ever: idsOf(ever),
    }),
  };
}

/**
 * What is not within what there was, series by series and server by server, in words. A total may be right although a
 * server is missing: another was added.
 */
export function untruths(parsed: Parsed, { least, most, stayed, ever }: Range): string[] {
  const wrong: string[] = [];
  const expect = (what: string, reported: number, low: number, high: number) => {
    if (reported < low || reported > high)
      wrong.push(`${what}: ${reported} reported, ${low} to ${high} there are`);
  };
  expect('servers', parsed.sum('cloud_servers'), stayed.size, ever.size);
  for (const [name, [labels, of]] of Object.entries(sums)) {
    const reported = addUpSamples(labels, parsed.of(name));
    const [low, high] = [least, most].map(({ rows }) => addUp(labels, rows, of));
    for (const key of new Set([...low!.keys(), ...reported.keys()]))
      expect(`${name} ${key}`, reported.get(key) ?? 0, low!.get(key) ?? 0, high!.get(key) ?? 0);
  }
  const named = new Set(parsed.of('cloud_server_info').map(({ labels }) => labels['id']!));
  if (named.size > 0) for (const id of stayed) if (!named.has(id)) wrong.push(`${id} is missing`);
  for (const id of named) if (!ever.has(id)) wrong.push(`${id} never was`);
  return wrong;
}

const others =
  'cloud_(up|server_info|list_(reported|suspect_pages_total)|exporter_collection(s|_failures)_total)';
const read = new RegExp(`^(# (HELP|TYPE) )?(${Object.keys(sums).join('|')}|${others})[ {]`);

/** The families that a soak looks at; strict reading of everything else would be most of its work. */
export function readShort(text: string): Parsed {
  const lines = text.split('\n').filter((line) => read.test(line));
  return parseExposition(`${lines.join('\n')}\n`);
}
