import { emptyRecord, type ReadServer } from './server.ts';

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
  const looked = new Set<string>();
  read(
    new Proxy(emptyRecord, {
      get(target, field) {
        looked.add(String(field));
        return Reflect.get(target, field) as unknown;
      },
    }),
  );
  const fields = [...looked].filter(isNeeded);
  return fields.includes('metadata') ? [...fields, metadataCompanion] : fields;
}
