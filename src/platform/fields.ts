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

/** Beside `metadata`: some releases send it only if this is named too. */
const metadataCompanion = '__meta__';

/** The fields to ask for: those that this reader looks at. */
export function fieldsFor(
  read: ReadServer,
  needs: { readonly labelSources: readonly string[]; readonly singleServers: boolean },
): string[] {
  const isNeeded = (field: string) =>
    needs.singleServers || !ofSingleServers.has(field) || needs.labelSources.includes(field);
  const fields = fieldsRead(read, smallest).filter(isNeeded);
  return fields.includes('metadata') ? [...fields, metadataCompanion] : fields;
}

/** Lets a reader read a record that notes which of its fields are looked at. */
export function fieldsRead(read: (record: unknown) => unknown, record: object): string[] {
  const looked = new Set<string>();
  read(
    new Proxy(record, {
      get(target, field) {
        looked.add(String(field));
        return Reflect.get(target, field) as unknown;
      },
    }),
  );
  return [...looked];
}
