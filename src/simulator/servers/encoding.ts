import type { Dialect } from '../answer.ts';
import type { ServerRecord } from '../fleet/record.ts';
import { createPlatformText } from './platform-text.ts';

export type View = 'full' | 'withoutMetadata' | 'columns' | 'alone';

export type Encode = (server: ServerRecord, view: View) => Buffer;

const computed =
  /^(zone|region|cloudregion|manager|account|vpc|eip|scaling_|can_|disk(s|_count|s_info)?$|host(_sn|_type|.*_status)?$|project(_domain|_src)?$|tenant$|provider$|brand$|cloud_env$|environment$|ips$|nics$|networks$|virtual_ips$|secgroup|security_rules$|isolated_devices$|is_gpu$|metadata$|backup_host_(name|status)$|auto_delete_at$)/;

/**
 * Each server is encoded once for each view, and again only when another record has taken its place. Not a WeakMap:
 * with a hundred thousand keys the garbage collector does little else.
 */
export function createEncoder(dialect: Dialect, population: () => number): Encode {
  const known: Record<View, Map<string, { readonly server: ServerRecord; readonly encoded: Buffer }>> = {
    full: new Map(),
    withoutMetadata: new Map(),
    columns: new Map(),
    alone: new Map(),
  };
  const store = createStore();
  const write = dialect === 'document' ? documentWriters : createPlatformWriters();

  return (server, view) => {
    const ofView = known[view];
    const remembered = ofView.get(server.id);
    if (remembered?.server === server) return remembered.encoded;
    if (ofView.size > 2 * population()) ofView.clear();
    const encoded = store(write[view](server));
    ofView.set(server.id, { server, encoded });
    return encoded;
  };
}

const slabBytes = 1 << 20;

/** Texts as bytes, many to a slab: the collector's work grows with the number of buffers. */
function createStore(): (text: string) => Buffer {
  let slab = Buffer.alloc(0);
  return (text) => {
    const size = Buffer.byteLength(text);
    if (size > slab.length) slab = Buffer.allocUnsafeSlow(Math.max(size, slabBytes));
    const stored = slab.subarray(0, size);
    stored.write(text);
    slab = slab.subarray(size);
    return stored;
  };
}

const isColumn = (field: string): boolean => !computed.test(field);

const documentWriters: Record<View, (server: ServerRecord) => string> = {
  full: (server) => JSON.stringify(server),
  alone: (server) => JSON.stringify(server),
  /** Cut from the text: to copy an object of so many fields without one of them costs more than to write it. */
  withoutMetadata: (server) =>
    JSON.stringify(server).replace(`,"metadata":${JSON.stringify(server.metadata)}`, () => ''),
  columns: (server) =>
    JSON.stringify(Object.fromEntries(Object.entries(server).filter(([field]) => isColumn(field)))),
};

function createPlatformWriters(): Record<View, (server: ServerRecord) => string> {
  const full = createPlatformText({ alone: false });
  return {
    full,
    withoutMetadata: full,
    columns: createPlatformText({ alone: false, isWanted: isColumn }),
    alone: createPlatformText({ alone: true }),
  };
}
