import type { Dialect } from '../answer.ts';
import type { ServerRecord } from '../fleet/record.ts';
import { createPlatformText } from './platform-text.ts';

export type View = 'full' | 'withoutMetadata' | 'columns' | 'alone';

export type Encode = (server: ServerRecord, view: View) => Buffer;

const computed =
  /^(zone|region|cloudregion|manager|account|vpc|eip|scaling_|can_|disk(s|_count|s_info)?$|host(_sn|_type|.*_status)?$|project(_domain|_src)?$|tenant$|provider$|brand$|cloud_env$|environment$|ips$|nics$|networks$|virtual_ips$|secgroup|security_rules$|isolated_devices$|is_gpu$|metadata$|backup_host_(name|status)$|auto_delete_at$)/;

/** A record never changes, only its place in the fleet is taken by another: what was encoded once stays right. */
export function createEncoder(dialect: Dialect): Encode {
  const known: Record<View, WeakMap<ServerRecord, Buffer>> = {
    full: new WeakMap(),
    withoutMetadata: new WeakMap(),
    columns: new WeakMap(),
    alone: new WeakMap(),
  };
  const write = dialect === 'document' ? documentWriters : createPlatformWriters();

  return (server, view) => {
    const remembered = known[view].get(server);
    if (remembered !== undefined) return remembered;
    const encoded = Buffer.from(write[view](server));
    known[view].set(server, encoded);
    return encoded;
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
