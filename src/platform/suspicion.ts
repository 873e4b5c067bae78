import type { Rejected } from './register.ts';
import type { Server } from './server.ts';

/** What a record may lack although the platform must know it: its database broke off in the middle of the page. */
export const suspicions = ['host', 'project', 'disk'] as const;
export type Suspicion = (typeof suspicions)[number];

type PageRecord = Server | Rejected;

export interface Suspect {
  readonly server: Server;
  readonly lacks: Suspicion;
}

/** The records of a page that are told by half: an id without the names that it stands for, or nobody's disks. */
export function suspectsOf(records: readonly PageRecord[]): Suspect[] {
  const servers = records.filter((record): record is Server => !('rejection' in record));
  const lacksHost = servers.filter(
    ({ hostId, host, zone, region }) => hostId !== '' && [host, zone, region].includes(''),
  );
  const lacksProject = servers.filter(
    ({ projectId, project, projectDomain }) => projectId !== '' && [project, projectDomain].includes(''),
  );
  const onHosts = servers.filter(({ hostId, host }) => hostId !== '' || host !== '');
  // One server may have no disk; a whole page without any was not looked up.
  const lacksDisk = onHosts.every(({ disk, disks }) => disk === 0 && disks === 0) ? onHosts : [];
  return [
    ...lacksHost.map((server) => ({ server, lacks: 'host' as const })),
    ...lacksProject.map((server) => ({ server, lacks: 'project' as const })),
    ...lacksDisk.map((server) => ({ server, lacks: 'disk' as const })),
  ];
}

export interface PageJudge {
  /** What is not to be believed yet, after this attempt at the page. */
  doubts(): Suspicion[];
  /** One more attempt at the same page. */
  add(records: readonly PageRecord[]): void;
  /** The records of the last attempt, each as whole as it was told in any of them. */
  best(): readonly PageRecord[];
}

export interface SuspicionMemory {
  judge(records: readonly PageRecord[]): PageJudge;
}

/** So many facts are remembered; a platform with more of them is asked again now and then. */
const mostFacts = 100_000;

/** Judges pages. What a server lacks twice in a row is the platform's truth, and is not asked for again. */
export function createSuspicionMemory(): SuspicionMemory {
  const facts = new Set<string>();

  return {
    judge(firstRecords) {
      const seen = new Set<string>();
      const whole = new Map<string, PageRecord>();
      let records: readonly PageRecord[] = [];
      let doubted: Suspect[] = [];

      function add(attempt: readonly PageRecord[]): void {
        records = attempt;
        const suspects = suspectsOf(attempt);
        const halfTold = new Set(suspects.map(({ server }) => server.id));
        for (const record of attempt) if (!halfTold.has(record.id)) whole.set(record.id, record);
        for (const suspect of suspects) if (seen.has(factOf(suspect))) remember(factOf(suspect));
        for (const suspect of suspects) seen.add(factOf(suspect));
        doubted = suspects.filter((suspect) => !facts.has(factOf(suspect)) && !whole.has(suspect.server.id));
      }

      add(firstRecords);
      return {
        doubts: () => [...new Set(doubted.map(({ lacks }) => lacks))],
        add,
        best: () => records.map((record) => (record.id === '' ? record : (whole.get(record.id) ?? record))),
      };
    },
  };

  function remember(fact: string): void {
    if (facts.size >= mostFacts) facts.clear();
    facts.add(fact);
  }
}

/** On another host, or in another project, it may be otherwise. */
function factOf({ server, lacks }: Suspect): string {
  return `${lacks} ${server.id} ${lacks === 'project' ? server.projectId : server.hostId}`;
}
