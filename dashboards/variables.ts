import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { ofCloud, ofJob, ofPlace, ofZone, recordedOfProject, recordedOfZone, select } from './promql.ts';

export const datasource = { type: 'prometheus', uid: '${datasource}' };

const all = { selected: true, text: 'All', value: '$__all' };

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly from: string;
  /** The label whose values are offered, if it is not called like the variable. */
  readonly of?: string;
  /** What "All" stands for; `.*` matches empty labels too. Without it, "All" is every value there is. */
  readonly allValue?: string | undefined;
  readonly includeAll?: boolean;
  readonly hide?: VariableHide;
}

function choice({ name, label, description, from, includeAll = true, ...more }: Choice): VariableModel {
  const allValue = 'allValue' in more ? more.allValue : '.*';
  const query = `label_values(${from}, ${more.of ?? name})`;
  const builder = new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(datasource)
    .query(query)
    .definition(query)
    .multi(true)
    .includeAll(includeAll)
    .refresh(VariableRefresh.OnTimeRangeChanged);
  if (includeAll) builder.current(all);
  if (includeAll && allValue) builder.allValue(allValue);
  if (more.hide !== undefined) builder.hide(more.hide);
  return { ...builder.build(), sort: VariableSort.AlphabeticalAsc };
}

const source = new DatasourceVariableBuilder('datasource')
  .label('Data source')
  .description('The Prometheus, or what speaks like it, that scrapes the exporter.')
  .type('prometheus')
  // Otherwise it opens on the first one by name.
  .current({ selected: true, text: 'default', value: 'default' })
  .build();

const tellsOfClouds = '__name__=~"cloud_up|cloud_exporter_build_info"';

const job = choice({
  name: 'job',
  label: 'Job',
  description: 'Every job that scrapes an exporter, whatever its name.',
  from: `{${tellsOfClouds}}`,
  allValue: '.+',
  hide: VariableHide.HideVariable,
});

/** Other jobs have up and process_* as well: "all" of these must not be every job there is. */
const exporterJob = choice({
  name: 'exporter_job',
  of: 'job',
  label: 'Jobs of exporters',
  description: 'The same jobs, one by one.',
  from: `{${tellsOfClouds}, ${ofJob}}`,
  allValue: undefined,
  hide: VariableHide.HideVariable,
});

const cloud = choice({
  name: 'cloud',
  label: 'Cloud',
  description: 'Clouds by their name in the configuration of the exporter.',
  from: select('cloud_up', ofJob),
});

/** Each choice is offered only what the choices before it leave. */
function narrowing(from: string, scope: string) {
  return (name: string, label: string, description: string, includeAll = true): VariableModel => {
    const matchers = scope.split(', ');
    const before = matchers.slice(
      0,
      matchers.findIndex((part) => part.startsWith(`${name}=~`)),
    );
    return choice({ name, label, description, includeAll, from: select(from, ...before) });
  };
}

const ofServers = narrowing('cloud_servers', ofPlace);
const place = [
  ofServers('region', 'Region', 'Regions of the chosen clouds.'),
  ofServers('zone', 'Zone', 'Zones of the chosen regions.'),
  ofServers('hypervisor', 'Hypervisor', 'Hypervisors and providers in the chosen zones.'),
  ofServers('project_domain', 'Domain', 'Domains that own projects there.'),
];

/** Board without place: clouds only. */
export const cloudVariables = [source, job, exporterJob, cloud];
export const placeVariables = [
  ...cloudVariables,
  ...place,
  ofServers('project', 'Project', 'Projects of the chosen domains.'),
];
export const projectVariables = [
  ...cloudVariables,
  ...place,
  ofServers('project', 'Project', 'The project that this page is about.', false),
];

/** For boards over recorded sums, which know regions and zones, but not whose the servers there are. */
const recorded = narrowing('cloud_zone_state:cloud_servers:sum', recordedOfZone);
export const zoneVariables = [
  ...cloudVariables,
  recorded('region', 'Region', 'Regions of the chosen clouds.'),
  recorded('zone', 'Zone', 'Zones of the chosen regions.'),
];

export const hostVariables = [
  ...zoneVariables,
  choice({
    name: 'host',
    label: 'Host',
    description: 'Hosts in the chosen zones.',
    from: select('cloud_host_up', ofZone),
  }),
];

const held = 'cloud_zone_project_state_model:cloud_servers_devices:sum';
const ofHolders = narrowing(held, recordedOfProject);
export const deviceVariables = [
  ...zoneVariables,
  ofHolders('project_domain', 'Domain', 'Domains of projects that hold devices.'),
  ofHolders('project', 'Project', 'Projects that hold devices.'),
  choice({
    name: 'model',
    label: 'Model',
    description: 'Models of devices.',
    from: select(held, recordedOfProject),
  }),
];

export const problem = choice({
  name: 'problem',
  label: 'Problem',
  description: 'Kinds of problems.',
  from: select('cloud_server_problems', ofCloud),
});

export const instance = choice({
  name: 'instance',
  label: 'Exporter',
  description: 'Addresses at which exporters are scraped.',
  from: select('cloud_exporter_build_info', ofJob),
});

interface Fixed {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** Values and how they are called. */
  readonly values: Readonly<Record<string, string>>;
  readonly chosen: string;
}

/** One of some values that are always the same. */
function oneOf({ name, label, description, values, chosen }: Fixed): VariableModel {
  const pairs = Object.entries(values);
  return new CustomVariableBuilder(name)
    .label(label)
    .description(description)
    .values(pairs.map(([value, text]) => (text === value ? value : `${text} : ${value}`)).join(','))
    .options(pairs.map(([value, text]) => ({ selected: value === chosen, text, value })))
    .current({ selected: true, text: pairs.find(([value]) => value === chosen)![1], value: chosen })
    .build();
}

export const measure = oneOf({
  name: 'measure',
  label: 'Measure',
  description: 'What the chart by region shows.',
  values: {
    cloud_servers: 'Servers',
    cloud_servers_vcpus: 'vCPUs',
    cloud_servers_memory: 'Memory',
    cloud_servers_disk: 'Disk',
  },
  chosen: 'cloud_servers_vcpus',
});

/** A size of a server, to see where it still fits. */
function size(name: string, label: string, sizes: readonly number[], chosen: number): VariableModel {
  const description = 'Of the server for which the board looks for room.';
  const values = Object.fromEntries(sizes.map((each) => [`${each}`, `${each}`]));
  return oneOf({ name, label, description, values, chosen: `${chosen}` });
}

export const serverSize = [
  size('vcpus', 'vCPUs', [1, 2, 4, 8, 16, 32, 64], 16),
  size('gibibytes', 'GiB', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 64),
];
