import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableHide,
  VariableRefresh,
  VariableSort,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { ofCloud, ofJob, ofPlace, ofZone, recordedOfCloud, recordedOfZone, select } from './selectors.ts';

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
function narrowing(name: string, label: string, description: string, includeAll = true): VariableModel {
  const before = ofPlace.split(', ').slice(
    0,
    ofPlace.split(', ').findIndex((part) => part.startsWith(`${name}=~`)),
  );
  return choice({ name, label, description, includeAll, from: select('cloud_servers', ...before) });
}

const place = [
  narrowing('region', 'Region', 'Regions of the chosen clouds.'),
  narrowing('zone', 'Zone', 'Zones of the chosen regions.'),
  narrowing('hypervisor', 'Hypervisor', 'Hypervisors and providers in the chosen zones.'),
  narrowing('project_domain', 'Domain', 'Domains that own projects there.'),
];
const project = narrowing('project', 'Project', 'Projects of the chosen domains.');
const oneProject = narrowing('project', 'Project', 'The project that this page is about.', false);

/** Board without place: clouds only. */
export const cloudVariables = [source, job, exporterJob, cloud];
export const placeVariables = [...cloudVariables, ...place, project];
export const projectVariables = [...cloudVariables, ...place, oneProject];

/** For boards over recorded sums, which know regions and zones, but not whose the servers there are. */
const recorded = 'cloud_zone_state:cloud_servers:sum';
export const zoneVariables = [
  ...cloudVariables,
  choice({
    name: 'region',
    label: 'Region',
    description: 'Regions of the chosen clouds.',
    from: select(recorded, recordedOfCloud),
  }),
  choice({
    name: 'zone',
    label: 'Zone',
    description: 'Zones of the chosen regions.',
    from: select(recorded, recordedOfZone.replace(/, zone=.*/, '')),
  }),
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

export const model = choice({
  name: 'model',
  label: 'Model',
  description: 'Models of devices.',
  from: select('cloud_servers_devices', ofPlace),
});

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

const sizes = ['5', '10', '20', '50'];
export const top = new CustomVariableBuilder('top')
  .label('Top')
  .description('How many rows the tables of the largest have.')
  .values(sizes.join(','))
  .options(sizes.map((size) => ({ selected: size === '10', text: size, value: size })))
  .current({ selected: true, text: '10', value: '10' })
  .build();

/** A size of a server, to see how many of it still fit. */
function size(name: string, label: string, values: readonly string[], chosen: string): VariableModel {
  return new CustomVariableBuilder(name)
    .label(label)
    .description('Of the server of which the table says how many still fit.')
    .values(values.join(','))
    .options(values.map((value) => ({ selected: value === chosen, text: value, value })))
    .current({ selected: true, text: chosen, value: chosen })
    .build();
}

export const serverSize = [
  size('vcpus', 'vCPUs', ['1', '2', '4', '8', '16', '32', '64'], '4'),
  size('gibibytes', 'GiB', ['1', '2', '4', '8', '16', '32', '64', '128', '256'], '16'),
];
