import type { Rejected } from './register.ts';
import type { Marked, Seat } from './roll.ts';
import type { Server } from './server.ts';

/** What a record may lack although the platform must know it: its database broke off in the middle of the page. */
export const suspicions = ['host', 'project', 'disk'] as const;
export type Suspicion = (typeof suspicions)[number];

/** What of a record shows whether it was told in full. */
export interface Telling {
  readonly hostId: string;
  readonly projectId: string;
  /** An id without the names that it stands for. */
  readonly lacksHost: boolean;
  readonly lacksProject: boolean;
  readonly isOnHost: boolean;
  readonly hasDisk: boolean;
}

/** A record as its page knows it, whatever else was made of it. */
export interface Listed extends Marked {
  readonly telling: Telling;
}

/** The same of servers that have a seat. */
export interface Seats {
  idOf(seat: Seat): string;
  tellingOf(seat: Seat): Telling;
}

/** Where no server has one. */
export const noSeats: Seats = { idOf: () => '', tellingOf: () => toldInFull };

/** A record of which it does not matter here what was made of it. */
export type AnyRecord = Listed | Rejected | Seat;

export function idOf(record: AnyRecord, seats: Seats): string {
  return typeof record === 'number' ? seats.idOf(record) : record.id;
}

/** One for all servers about which there is nothing to say: a large fleet is kept. */
export const toldInFull: Telling = {
  hostId: '',
  projectId: '',
  lacksHost: false,
  lacksProject: false,
  isOnHost: true,
  hasDisk: true,
};

export function tellingOf(server: Server): Telling {
  const { hostId, host, zone, region, projectId, project, projectDomain, disk, disks } = server;
  const lacksHost = hostId !== '' && (host === '' || zone === '' || region === '');
  const lacksProject = projectId !== '' && (project === '' || projectDomain === '');
  const isOnHost = hostId !== '' || host !== '';
  const hasDisk = disk > 0 || disks > 0;
  const isWhole = !lacksHost && !lacksProject && isOnHost && hasDisk;
  return isWhole ? toldInFull : { hostId, projectId, lacksHost, lacksProject, isOnHost, hasDisk };
}

export interface Suspect {
  readonly id: string;
  readonly lacks: Suspicion;
  /** On another host, or in another project, it may be otherwise. */
  readonly fact: string;
}

interface HalfTold {
  readonly record: AnyRecord;
  readonly telling: Telling;
}

/** The records of a page that are told by half: an id without the names that it stands for, or nobody's disks. */
export function suspectsOf(records: readonly AnyRecord[], seats = noSeats): Suspect[] {
  const byHalf: HalfTold[] = [];
  let isDiskKnown = false;
  // A loop: this looks at every record of every scrape.
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index]!;
    const telling = typeof record === 'number' ? seats.tellingOf(record) : record.telling;
    if (!telling) continue;
    if (telling.isOnHost && telling.hasDisk) isDiskKnown = true;
    if (telling !== toldInFull) byHalf.push({ record, telling });
  }
  return byHalf.length === 0 ? [] : suspectsAmong(byHalf, isDiskKnown, seats);
}

/** By itself: most pages have none, and the engine would compile for these, and again at the first one that has some. */
function suspectsAmong(byHalf: readonly HalfTold[], isDiskKnown: boolean, seats: Seats): Suspect[] {
  // One server may have no disk; a whole page without any was not looked up.
  const lacksDisk = isDiskKnown ? [] : byHalf.filter(({ telling }) => telling.isOnHost);
  const suspect = ({ record, telling }: HalfTold, lacks: Suspicion): Suspect => {
    const id = idOf(record, seats);
    return { id, lacks, fact: `${lacks} ${id} ${lacks === 'project' ? telling.projectId : telling.hostId}` };
  };
  return [
    ...byHalf.filter(({ telling }) => telling.lacksHost).map((one) => suspect(one, 'host')),
    ...byHalf.filter(({ telling }) => telling.lacksProject).map((one) => suspect(one, 'project')),
    ...lacksDisk.map((one) => suspect(one, 'disk')),
  ];
}

export interface PageJudge<Record> {
  /** What is not to be believed yet, after this attempt at the page. */
  doubts(): Suspicion[];
  /** One more attempt at the same page. */
  add(records: readonly Record[]): void;
  /** The records of the last attempt, each as whole as it was told in any of them. */
  best(): readonly Record[];
}

export interface SuspicionMemory {
  judge<Record extends AnyRecord>(records: readonly Record[], seats?: Seats): PageJudge<Record>;
}

/** So many facts are remembered; a platform with more of them is asked again now and then. */
const mostFacts = 100_000;

/** Judges pages. What a server lacks twice in a row is the platform's truth, and is not asked for again. */
export function createSuspicionMemory(): SuspicionMemory {
  const facts = new Set<string>();

  return {
    judge<Record extends AnyRecord>(firstRecords: readonly Record[], seats = noSeats) {
      const seen = new Set<string>();
      const whole = new Map<string, Record>();
      let records: readonly Record[] = [];
      let halfTold: ReadonlySet<string> = new Set();
      let doubted: Suspect[] = [];

      function add(attempt: readonly Record[]): void {
        records = attempt;
        const suspects = suspectsOf(attempt, seats);
        const isFirst = seen.size === 0;
        if (suspects.length === 0 && isFirst) return;
        halfTold = new Set(suspects.map(({ id }) => id));
        for (const record of attempt) {
          const id = idOf(record, seats);
          if (!halfTold.has(id)) whole.set(id, record);
        }
        for (const { fact } of suspects) if (seen.has(fact)) remember(fact);
        for (const { fact } of suspects) seen.add(fact);
        doubted = suspects.filter(({ fact, id }) => !facts.has(fact) && !whole.has(id));
      }

      add(firstRecords);
      return {
        doubts: () => [...new Set(doubted.map(({ lacks }) => lacks))],
        add,
        best() {
          if (halfTold.size === 0) return records;
          return records.map((record) => {
            const id = idOf(record, seats);
            return halfTold.has(id) ? (whole.get(id) ?? record) : record;
          });
        },
      };
    },
  };

  function remember(fact: string): void {
    if (facts.size >= mostFacts) facts.clear();
    facts.add(fact);
  }
}
