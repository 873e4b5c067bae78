import { lineColours } from './look.ts';

/** Devices that people wait for; network cards and the like are passed through as well. Same as in the alerts. */
export const gpuTypes = 'dev_type=~".*GPU.*|NPU"';

/** Every panel asks the chosen job; the other variables narrow it down. All of them match empty labels on "All". */
export const ofJob = 'job=~"$job"';
export const ofCloud = `${ofJob}, cloud=~"$cloud"`;
export const ofZone = `${ofCloud}, zone=~"$zone"`;
export const ofHost = `${ofZone}, host=~"$host"`;
export const ofProject = `${ofCloud}, project_domain=~"$project_domain", project=~"$project"`;
export const ofPlace = `${ofZone}, project=~"$project"`;
export const ofInstance = `${ofCloud}, instance=~"$instance"`;
/** Other jobs have `up` and `process_*` too, which "all" jobs would match. */
export const ofExporterJobs = `${ofJob}, job=~"$exporter_job"`;
export const ofProcess = `${ofExporterJobs}, instance=~"$instance"`;

/** Recorded sums are over all jobs and have no such label. */
export const recordedOfCloud = 'cloud=~"$cloud"';
export const recordedOfRegion = `${recordedOfCloud}, region=~"$region", zone=~"$zone"`;
export const recordedOfZone = `${recordedOfCloud}, zone=~"$zone"`;
export const recordedOfHost = `${recordedOfZone}, host=~"$host"`;
export const recordedOfPlace = `${recordedOfZone}, project=~"$project"`;

/** Alerts of this product, of the chosen clouds and of none, for which somebody is called. */
export const ofAlerts = `alertname=~"Cloud.+", ${recordedOfCloud.replace('$cloud', '$cloud|')}`;
export const urgent = `${ofAlerts}, severity=~"critical|warning"`;

export const zone = ['cloud', 'region', 'zone'];
export const project = ['cloud', 'project_domain', 'project'];
export const server = ['cloud', 'id'];
const zoneLegend = '{{of}}{{zone}}';

/** A selector of one metric: `select('up', ofJob)` is `up{job=~"$job"}`. */
export function select(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${matchers.join(', ')}}`;
}

/** Exporters whose snapshot of a cloud is not the newest one: of all, recorded; or of those that are chosen. */
const outdated = `cloud_instance:cloud_snapshot:outdated{${recordedOfCloud}}`;
const snapshots = select('cloud_snapshot_timestamp_seconds', ofInstance);
const outdatedOfChosen = `(${snapshots} < on (cloud) group_left () max by (cloud) (${snapshots}))`;

/**
 * The one way to ask for what exporters report of a cloud, the same as in the rules. Two may report one: a pod is
 * replaced, or both of a pair are scraped. Then the newest snapshot counts, and what is reported twice counts once.
 */
export function once(metric: string, ...matchers: readonly string[]): string {
  const older = matchers[0]?.includes(ofInstance) ? outdatedOfChosen : outdated;
  return `max without (job, instance, pod) (${select(metric, ...matchers)} unless on (cloud, job, instance) ${older})`;
}

function aggregate(operator: string) {
  return (labels: readonly string[], vector: string) =>
    labels.length === 0 ? `${operator}(${vector})` : `${operator} by (${labels.join(', ')}) (${vector})`;
}
export const sumBy = aggregate('sum');
export const maxBy = aggregate('max');

/** One series a server, also while a name or host of it changes. */
export function oneOfEachServer(vector: string): string {
  return `topk by (cloud, id) (1, ${vector})`;
}

/** A server that was never scheduled has no region, zone or host: an empty name can be neither read nor clicked. */
export function naming(labels: readonly string[], vector: string): string {
  return labels.reduce(
    (inner, label) => `label_replace(${inner}, "${label}", "(none)", "${label}", "")`,
    vector,
  );
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
  readonly colour?: string;
}

const mostLines = lineColours.length;
const others = 'others';

/** The largest over all of the time that is shown, so that no line comes and goes with its rank. */
function totalOf(vector: string): string {
  return `max_over_time((${vector})[$__range:$__interval] @ end())`;
}

/** Each line has its cloud's name in the label `of`, unless there is one cloud. */
function ofCloudIfSeveral(labels: readonly string[], vector: string): string {
  const named = naming(
    labels.filter((label) => label !== 'cloud'),
    vector,
  );
  if (!labels.includes('cloud')) return named;
  const isAlone = labels.length === 1 ? 'this cloud' : '';
  return `label_replace(label_replace(${named}, "of", "$1 ", "cloud", "(.+)"), "of", "${isAlone}", "cloud", "$only_cloud")`;
}

/** A line for each of the largest, and one for the sum of all the others. */
export function largestLines(labels: readonly string[], legend: string, vector: string): Query[] {
  const largest = `on (${labels.join(', ')}) topk(${mostLines}, ${totalOf(vector)})`;
  return [
    { expr: ofCloudIfSeveral(labels, `(${vector}) and ${largest}`), legend },
    { expr: `sum((${vector}) unless ${largest})`, legend: others, colour: 'text' },
  ];
}

/** A query for each rank, because only a query can be given a colour, and those of Grafana's palette mean something. */
function ranked(labels: readonly string[], legend: string, vector: string): Query[] {
  const total = totalOf(vector);
  return lineColours.map((colour, above) => {
    const rank =
      above === 0 ? `topk(1, ${total})` : `(topk(${above + 1}, ${total}) unless topk(${above}, ${total}))`;
    const line = `(${vector}) and on (${labels.join(', ')}) ${rank}`;
    return { expr: ofCloudIfSeveral(labels, line), legend, colour };
  });
}

/** Lines of zones: of the largest, and of the sum of all the others. */
export function largestZones(vector: string): Query[] {
  return [...ranked(zone, zoneLegend, vector), ...largestLines(zone, zoneLegend, vector).slice(1)];
}

/** The same for shares: those of the others are not added up, but taken of their parts together. */
export function fullestZones(free: string, allocatable: string): Query[] {
  const share = `1 - ${free} / ${allocatable}`;
  const unlessRanked = `unless on (${zone.join(', ')}) topk(${mostLines}, ${totalOf(share)})`;
  const rest = `1 - sum(${free} ${unlessRanked}) / sum(${allocatable} ${unlessRanked})`;
  return [...ranked(zone, zoneLegend, share), { expr: rest, legend: others, colour: 'text' }];
}

/** So that it is full only when nothing is left: of 99.9 % that is 99. */
export function shareOf(part: string, whole: string): string {
  return `floor(100 * (${part}) / (${whole})) / 100`;
}

/** Words for people of a label such as `list_isolated_devices` or `near_expiry`. */
export function inWords(label: string, vector: string): string {
  const replaced = [
    ['(?:list_)?isolated_devices', 'devices'],
    ['(?:list_)?cloudproviderregions', 'synchronisations'],
    ['(?:list_)?cloudregions', 'regions'],
    ['list_(.+)', '$1'],
    ['([^_]+)_([^_]+)', '$1 $2'],
  ];
  return replaced.reduce(
    (inner, [pattern, text]) => `label_replace(${inner}, "${label}", "${text}", "${label}", "${pattern}")`,
    vector,
  );
}

/**
 * The difference of a recorded sum to some time before, also for what is new and what is gone since. Nothing for a
 * cloud that was not read then or is not read now: all of it would look like a change.
 */
export function changeSince(before: string, recorded: string, ...matchers: readonly string[]): string {
  const now = select(recorded, ...matchers);
  const then = `last_over_time(${now}[1h] offset ${before})`;
  const isRead = select('cloud:cloud_servers:sum', recordedOfCloud);
  const wasRead = `last_over_time(${isRead}[1h] offset ${before})`;
  return `((${now} or 0 * ${then}) - (${then} or 0 * ${now})) and on (cloud) ${wasRead} and on (cloud) ${isRead}`;
}
