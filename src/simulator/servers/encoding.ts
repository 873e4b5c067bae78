import type { Dialect } from '../answer.ts';
import { isColumn } from '../fleet/columns.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { Release } from '../release.ts';
import { createPlatformText } from './platform-text.ts';
import { keyOf, type View } from './view.ts';

export type Encode = (server: ServerRecord) => Buffer;

const mostViews = 24;

interface Encoding {
  readonly write: (server: ServerRecord) => string;
  readonly known: WeakMap<ServerRecord, Buffer>;
}

/** A record never changes, only its place in the fleet is taken by another: what was encoded once stays right. */
export function createEncoder(dialect: Dialect, release: Release): (view: View) => Encode {
  const encodings = new Map<string, Encoding>();

  function encodingOf(view: View): Encoding {
    const key = keyOf(view);
    const encoding = encodings.get(key) ?? {
      write: dialect === 'document' ? documentText(view) : createPlatformText(view, release),
      known: new WeakMap<ServerRecord, Buffer>(),
    };
    // The one that was used last is the last to go.
    encodings.delete(key);
    encodings.set(key, encoding);
    const [oldest] = encodings.keys();
    if (encodings.size > mostViews && oldest !== undefined) encodings.delete(oldest);
    return encoding;
  }

  return (view) => {
    const { write, known } = encodingOf(view);
    return (server) => {
      const remembered = known.get(server);
      if (remembered !== undefined) return remembered;
      const encoded = Buffer.from(write(server));
      known.set(server, encoded);
      return encoded;
    };
  };
}

function documentText({ details, metadata }: View): (server: ServerRecord) => string {
  if (!details) {
    return (server) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(documented(server)).filter(([field]) => isColumn(field))),
      );
  }
  if (metadata) return (server) => JSON.stringify(documented(server));
  // Cut from the text: to copy an object of so many fields without one of them costs more than to write it.
  return (server) =>
    JSON.stringify(documented(server)).replace(`,"metadata":${JSON.stringify(server.metadata)}`, () => '');
}

function documented(server: ServerRecord): ServerRecord {
  if (server.power_states === undefined) return server;
  const { power_states: _undocumented, ...rest } = server;
  return rest;
}
