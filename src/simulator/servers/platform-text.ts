import { isEmpty, withoutEmpties } from '../empties.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { Release } from '../release.ts';
import { powerOf } from './power.ts';
import { releaseFields } from './release-fields.ts';
import type { View } from '../lists/view.ts';
import { countsDisks, showsField } from './field-traps.ts';

type Derive = (server: ServerRecord) => unknown;

const always =
  (value: unknown): Derive =>
  () =>
    value;
const withHost =
  (value: unknown): Derive =>
  ({ host_id }) =>
    host_id === '' ? undefined : value;
const withAccount =
  (value: string): Derive =>
  ({ account }) =>
    account === '' ? undefined : value;

/** Where the running platform says something else than the document, or more. */
const derived: Readonly<Record<string, Derive>> = {
  account_health_status: withAccount('normal'),
  account_read_only: always(false),
  account_status: withAccount('connected'),
  backup_guest_status: always('init'),
  brand: ({ host_id, brand }) => (host_id === '' ? 'Unknown' : brand),
  disks_info: ({ disks_info }) =>
    disks_info.map((disk) => withoutEmpties({ ...disk, auto_reset: false, boot_index: -1 })),
  floppy_support: ({ cdrom_support }) => cdrom_support,
  freezed: always(false),
  host_billing_type: withHost('postpaid'),
  host_enabled: ({ host_id }) => host_id !== '',
  host_resource_type: withHost('shared'),
  hostname: ({ name }) => name,
  imported_at: ({ created_at }) => created_at,
  internet_max_bandwidth_out: always(0),
  is_daemon: always(false),
  macs: ({ nics }) => nics.map(({ mac }) => mac).join(','),
  nics: ({ nics }) => nics.map(withoutEmpties),
  os_arch: always('x86_64'),
  power_states: ({ power_states, status }) => power_states ?? powerOf(status),
  progress: always(100),
  progress_mbps: always(0),
  provider: ({ host_id, provider }) => (host_id === '' ? 'Unknown' : provider),
  qga_status: always('unknown'),
  rescue_mode: always(false),
  shutdown_mode: always('keep_charging'),
  source: ({ account }) => (account === '' ? 'local' : 'cloud'),
  sshable_last_state: always(false),
  throughput: always(0),
};

const neverSent = new Set([
  'project_id',
  'flavor_id',
  'attach_time',
  'delete_fail_reason',
  'update_fail_reason',
  'admin_security_rules',
]);
const onlyAlone = new Set(['os_name', 'networks', 'virtual_ips', 'security_rules']);

/** Written field by field: an object of so many keys put together at run time costs ten times as much. */
export function createPlatformText(view: View, release: Release): (server: ServerRecord) => string {
  const derive: Readonly<Record<string, Derive>> = {
    ...derived,
    ...releaseFields(release),
    ...(!countsDisks(view) && { disk_count: always(0) }),
  };
  let fields: readonly string[] | undefined;

  function fieldsOf(server: ServerRecord): readonly string[] {
    const all = [...new Set([...Object.keys(server), ...Object.keys(derive)])];
    const sent = all.filter((field) => !neverSent.has(field) && (view.alone || !onlyAlone.has(field)));
    return sent.filter((field) => showsField(view, field, release)).toSorted();
  }

  return (server) => {
    fields ??= fieldsOf(server);
    const parts: string[] = [];
    for (const field of fields) {
      const read = derive[field];
      const value = read === undefined ? server[field as keyof ServerRecord] : read(server);
      if (!isEmpty(value)) parts.push(`"${field}":${JSON.stringify(value)}`);
    }
    return `{${parts.join(',')}}`;
  };
}
