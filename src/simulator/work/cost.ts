/** What a request is to the platform: the rows that it sends, and those that it has to look at. */
export interface Effort {
  readonly kind: WorkKind;
  readonly rows: number;
  /** Rows of the whole cloud, searched for those that match. */
  readonly searched: number;
  /** Rows that match, where sums over all of them are made. */
  readonly summed: number;
}

export type WorkKind = 'login' | 'detailed' | 'plain' | 'show' | 'hosts' | 'detailedHosts';

/** In milliseconds of the platform; what is not said costs nothing. */
export interface PlatformCost {
  readonly workers: number;
  /** With details; without them too, unless that has a cost of its own. */
  readonly millisecondsPerServer: number;
  readonly millisecondsPerPlainServer?: number;
  readonly millisecondsPerHost?: number;
  readonly millisecondsPerDetailedHost?: number;
  readonly millisecondsPerRequest?: number;
  readonly millisecondsPerSearchedRow?: number;
  readonly millisecondsPerSummedRow?: number;
  /** How the time passes; a test gives a gate, and who only wants the bill gives nothing to wait for. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

export const noCost: PlatformCost = { workers: Infinity, millisecondsPerServer: 0 };

/** As it was measured on the real platform. */
export const measuredCost: PlatformCost = {
  workers: 8,
  millisecondsPerServer: 4.4,
  millisecondsPerPlainServer: 0.67,
  millisecondsPerHost: 0.7,
  millisecondsPerDetailedHost: 17,
  millisecondsPerRequest: 4,
  millisecondsPerSearchedRow: 0.0005,
  millisecondsPerSummedRow: 0.022,
};

export function priceOf({ kind, rows, searched, summed }: Effort, cost: PlatformCost): number {
  return (
    (cost.millisecondsPerRequest ?? 0) +
    rows * perRow(kind, cost) +
    searched * (cost.millisecondsPerSearchedRow ?? 0) +
    summed * (cost.millisecondsPerSummedRow ?? 0)
  );
}

function perRow(kind: WorkKind, cost: PlatformCost): number {
  switch (kind) {
    case 'login':
      return 0;
    case 'plain':
      return cost.millisecondsPerPlainServer ?? cost.millisecondsPerServer;
    case 'hosts':
      return cost.millisecondsPerHost ?? 0;
    case 'detailedHosts':
      return cost.millisecondsPerDetailedHost ?? cost.millisecondsPerHost ?? 0;
    default:
      return cost.millisecondsPerServer;
  }
}
