import type { Server } from '../platform/server.ts';

export interface Keeper {
  /** `offset` is that of the server's page. */
  keep(server: Server, offset: number): void;
  /** All of them, in the platform's order. */
  finish(): readonly Server[];
}

/** Keeps single servers. */
export function createKeeper(): Keeper {
  const pages = new Map<number, Server[]>();

  return {
    keep(server, offset) {
      const page = pages.get(offset) ?? [];
      page.push(server);
      pages.set(offset, page);
    },
    finish() {
      const ordered = [...pages].toSorted(([a], [b]) => a - b);
      return ([] as Server[]).concat(...ordered.map(([, servers]) => servers));
    },
  };
}
