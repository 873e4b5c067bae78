import { unreadList, unreadObject, type Unread } from './record-text.ts';
import { smallest, type ReadServer } from './server.ts';

/** Read by the reader, but of use only where single servers are exported or discovered. */
const ofSingleServers: ReadonlySet<string> = new Set([
  'created_at',
  'os_type',
  'instance_type',
  'brand',
  'ips',
  'eip',
  'nics',
]);

/** Of use only where an optional family needs it. */
const ofFamilies: ReadonlySet<string> = new Set(['disks_info']);

/** Beside `metadata`: some releases send it only if this is named too. */
const metadataCompanion = '__meta__';

/** Much of a record, and of no use to most. */
const large = {
  disks_info: unreadList('disks_info'),
  metadata: unreadObject('metadata'),
  nics: unreadList('nics'),
  secgroups: unreadList('secgroups'),
};

interface Needs {
  /** The fields of extra labels. */
  readonly labelSources: readonly string[];
  readonly familyFields?: readonly string[];
  readonly singleServers: boolean;
}

/** Of whole records: what is not worth parsing. */
export function unreadFields(read: ReadServer, needs: Needs): Unread[] {
  const fields = new Set(fieldsFor(read, needs));
  return Object.entries(large).flatMap(([field, unread]) => (fields.has(field) ? [] : unread));
}

/** The fields to ask for: those that this reader looks at. */
export function fieldsFor(read: ReadServer, needs: Needs): string[] {
  const named = new Set([...needs.labelSources, ...(needs.familyFields ?? [])]);
  const isNeeded = (field: string) => {
    if (named.has(field)) return true;
    return ofSingleServers.has(field) ? needs.singleServers : !ofFamilies.has(field);
  };
  const fields = fieldsRead(read).filter(isNeeded);
  return fields.includes('metadata') ? [...fields, metadataCompanion] : fields;
}

/** Lets the reader read a record that notes which of its fields are looked at. */
function fieldsRead(read: ReadServer): string[] {
  const looked = new Set<string>();
  const record = new Proxy<Record<string, unknown>>(smallest, {
    get(target, field) {
      looked.add(String(field));
      return target[String(field)];
    },
  });
  read(record);
  return [...looked];
}
