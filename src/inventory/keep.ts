import type { Server } from '../platform/server.ts';

export interface Keeper {
  /** `offset` is that of the server's page. */
  keep(server: Server, offset: number): void;
  /** All of them, in the platform's order. */
  finish(): readonly Server[];
}

/** Texts that many servers have in common. */
const repeated = [
  'region',
  'zone',
  'hypervisor',
  'projectDomain',
  'project',
  'host',
  'instanceType',
] as const satisfies readonly (keyof Server)[];

/** Keeps single servers. Each came with its own copy of the name of its region and so on; one copy is enough for all. */
export function createKeeper(): Keeper {
  const pages = new Map<number, Server[]>();
  const texts = new Map<string, string>();

  function share(text: string): string {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  }

  function compact(server: Server): Server {
    const nics = server.nics.map((nic) => ({ ...nic, network: share(nic.network) }));
    const copy: { -readonly [Field in keyof Server]: Server[Field] } = { ...server, nics };
    for (const field of repeated) copy[field] = share(server[field]);
    return copy;
  }

  return {
    keep(server, offset) {
      const page = pages.get(offset) ?? [];
      page.push(compact(server));
      pages.set(offset, page);
    },
    finish() {
      const ordered = [...pages].toSorted(([a], [b]) => a - b);
      return ([] as Server[]).concat(...ordered.map(([, servers]) => servers));
    },
  };
}
