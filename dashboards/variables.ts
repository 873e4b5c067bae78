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

/** Each choice is offered only what the choices before it leave. */
function narrowing(from: string, scope: string) {
  return (name: string, label: string, description: string, includeAll = true): VariableModel => {
    const before = scope.replace(new RegExp(`, ${name}=~.*`), '');
    return choice({ name, label, description, includeAll, from: select(from, before) });
  };
}

const ofConfiguration = narrowing('cloud_up', ofJob);
const cloud = ofConfiguration('cloud', 'Cloud', 'Clouds by their name in the configuration of the exporter.');

/** Board without place: clouds only. */
export const cloudVariables = [source, job, exporterJob, cloud];

const ofServers = narrowing('cloud_servers', ofPlace);
const place = [
  ...cloudVariables,
  ofServers('region', 'Region', 'Regions of the chosen clouds.'),
  ofServers('zone', 'Zone', 'Zones of the chosen regions.'),
  ofServers('hypervisor', 'Hypervisor', 'Hypervisors and providers in the chosen zones.'),
  ofServers('project_domain', 'Domain', 'Domains that own projects there.'),
];

export const placeVariables = [...place, ofServers('project', 'Project', 'Projects of the chosen domains.')];
export const projectVariables = [
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

const ofHosts = narrowing('cloud_host_up', ofZone);
export const hostVariables = [...zoneVariables, ofHosts('host', 'Host', 'Hosts in the chosen zones.')];

const ofHolders = narrowing('cloud_zone_project_state_model:cloud_servers_devices:sum', recordedOfProject);
export const deviceVariables = [
  ...zoneVariables,
  ofHolders('project_domain', 'Domain', 'Domains of projects that hold devices.'),
  ofHolders('project', 'Project', 'Projects that hold devices.'),
  ofHolders('model', 'Model', 'Models of devices.'),
];

const ofProblems = narrowing('cloud_server_problems', ofCloud);
export const problem = ofProblems('problem', 'Problem', 'Kinds of problems.');

const ofExporters = narrowing('cloud_exporter_build_info', ofJob);
export const instance = ofExporters('instance', 'Exporter', 'Addresses at which exporters are scraped.');

/** One of some values that are always the same; each with how it is called. */
function oneOf(
  name: string,
  label: string,
  description: string,
  values: Readonly<Record<string, string>>,
  chosen: string,
): VariableModel {
  const pairs = Object.entries(values);
  return new CustomVariableBuilder(name)
    .label(label)
    .description(description)
    .values(pairs.map(([value, text]) => (text === value ? value : `${text} : ${value}`)).join(','))
    .options(pairs.map(([value, text]) => ({ selected: value === chosen, text, value })))
    .current({ selected: true, text: values[chosen] ?? chosen, value: chosen })
    .build();
}

const measures = {
  cloud_servers: 'Servers',
  cloud_servers_vcpus: 'vCPUs',
  cloud_servers_memory: 'Memory',
  cloud_servers_disk: 'Disk',
};
const shown = 'What the chart by region shows.';
export const measure = oneOf('measure', 'Measure', shown, measures, 'cloud_servers_vcpus');

/** A size of a server, to see where it still fits. */
function size(name: string, label: string, sizes: readonly number[], chosen: number): VariableModel {
  const values = Object.fromEntries(sizes.map((each) => [`${each}`, `${each}`]));
  return oneOf(name, label, 'Of the server for which the board looks for room.', values, `${chosen}`);
}

export const serverSize = [
  size('vcpus', 'vCPUs', [1, 2, 4, 8, 16, 32, 64], 16),
  size('gibibytes', 'GiB', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 64),
];
