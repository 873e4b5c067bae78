import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { memory, wasUp } from './absence.ts';
import {
  ofCloud,
  ofHost,
  ofJob,
  ofPlace,
  ofProject,
  recordedOfPlace,
  recordedOfRegion,
  select,
} from './promql.ts';

export const datasource = { type: 'prometheus', uid: '${datasource}' };

const all = { selected: true, text: 'All', value: '$__all' };

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** Grafana's question for the values, and which part of an answer is one. */
  readonly query: string;
  readonly regex?: string;
  /** What "All" stands for; `.*` matches empty labels too. Without it, "All" is every value there is. */
  readonly allValue?: string | undefined;
  readonly includeAll?: boolean;
  readonly hide?: VariableHide;
}

function choice({ name, label, description, query, includeAll = true, ...more }: Choice): VariableModel {
  const allValue = 'allValue' in more ? more.allValue : '.*';
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
  if (more.regex) builder.regex(more.regex);
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
  query: `label_values({${tellsOfClouds}}, job)`,
  allValue: '.+',
  hide: VariableHide.HideVariable,
});

/**
 * Other jobs have up and process_* as well: "all" of these must not be every job there is. Also the jobs of exporters
 * that have been down for longer than is shown.
 */
const exporterJob = choice({
  name: 'exporter_job',
  label: 'Jobs of exporters',
  description: 'The same jobs, one by one.',
  query: `query_result(count by (job) (last_over_time({${tellsOfClouds}, ${ofJob}}[${memory}])))`,
  regex: '/job="([^"]+)"/',
  allValue: undefined,
  hide: VariableHide.HideVariable,
});

/** The name of the chosen cloud if there is one, which then stands in no legend and no column. */
const onlyCloud: VariableModel = {
  ...choice({
    name: 'only_cloud',
    label: 'Only cloud',
    description: 'The chosen cloud, if it is one.',
    query: `query_result(${wasUp} and on () count(${wasUp}) == 1)`,
    regex: '/cloud="([^"]+)"/',
    includeAll: false,
    hide: VariableHide.HideVariable,
  }),
  multi: false,
};

/** Each choice is offered only what the choices before it leave. */
function narrowing(from: string, scope: string) {
  return (name: string, label: string, description: string, includeAll = true): VariableModel => {
    const before = scope.replace(new RegExp(`, ${name}=~.*`), '');
    const query = `label_values(${select(from, before)}, ${name})`;
    return choice({ name, label, description, includeAll, query });
  };
}

const ofConfiguration = narrowing('cloud_up', ofJob);
const cloud = ofConfiguration('cloud', 'Cloud', 'Clouds by their name in the configuration of the exporter.');

/** Board without place: clouds only. */
export const cloudVariables = [source, job, exporterJob, cloud, onlyCloud];

const ofProjects = narrowing('cloud_servers', ofProject);
export const projectVariables = [
  ...cloudVariables,
  ofProjects('project_domain', 'Domain', 'Domains that own projects there.'),
  ofProjects('project', 'Project', 'The project that this page is about.', false),
];

/** For boards over recorded sums, which know regions and zones, but not whose the servers there are. */
const recorded = narrowing('cloud_zone_state:cloud_servers:sum', recordedOfRegion);
export const regionVariables = [
  ...cloudVariables,
  recorded('region', 'Region', 'Regions of the chosen clouds.'),
  recorded('zone', 'Zone', 'Zones of the chosen regions.'),
];

/** No board has more choices than stand in one line of a laptop: a zone alone is as good as with its region. */
const ofServers = narrowing('cloud_servers', ofPlace);
const zoneVariables = [...cloudVariables, ofServers('zone', 'Zone', 'Zones of the chosen clouds.')];
export const placeVariables = [
  ...zoneVariables,
  ofServers('project', 'Project', 'Projects with servers in the chosen zones.'),
];

const ofHosts = narrowing('cloud_host_up', ofHost);
export const hostVariables = [
  ...cloudVariables,
  ofHosts('zone', 'Zone', 'Zones of the chosen clouds.'),
  ofHosts('host', 'Host', 'Hosts in the chosen zones.'),
];

const ofHolders = narrowing('cloud_zone_project_state_model:cloud_servers_devices:sum', recordedOfPlace);
export const deviceVariables = [
  ...zoneVariables,
  ofHolders('project', 'Project', 'Projects whose servers have devices.'),
  ofHolders('model', 'Model', 'Models of devices.'),
];

const ofProblems = narrowing('cloud_server_problems', ofCloud);
export const problem = ofProblems('problem', 'Problem', 'Kinds of problems.');

const ofExporters = narrowing('cloud_exporter_build_info', ofJob);
export const instance = ofExporters('instance', 'Exporter', 'Addresses at which exporters are scraped.');

/** A size of a server, to see where it still fits. */
function size(name: string, label: string, sizes: readonly number[], chosen: number): VariableModel {
  const options = sizes.map((each) => ({ selected: each === chosen, text: `${each}`, value: `${each}` }));
  return new CustomVariableBuilder(name)
    .label(label)
    .description('Of the server for which the board looks for a host.')
    .values(sizes.join(','))
    .options(options)
    .current({ selected: true, text: `${chosen}`, value: `${chosen}` })
    .build();
}

export const serverSize = [
  size('vcpus', 'vCPUs', [1, 2, 4, 8, 16, 32, 64], 16),
  size('gibibytes', 'GiB', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 64),
];
