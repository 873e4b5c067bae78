/** Devices that people wait for; network cards and the like are passed through as well. Same as in the alerts. */
export const gpuTypes = 'dev_type=~".*GPU.*|NPU"';

/** Every panel asks the chosen job; the other variables narrow it down. All of them match empty labels on "All". */
export const ofJob = 'job=~"$job"';
export const ofCloud = `${ofJob}, cloud=~"$cloud"`;
export const ofZone = `${ofCloud}, region=~"$region", zone=~"$zone"`;
export const ofHost = `${ofZone}, host=~"$host"`;
export const ofPlace = `${ofZone}, hypervisor=~"$hypervisor", project_domain=~"$project_domain", project=~"$project"`;
export const ofInstance = `${ofCloud}, instance=~"$instance"`;
/** Other jobs have `up` and `process_*` too, which "all" jobs would match. */
export const ofExporterJobs = `${ofJob}, job=~"$exporter_job"`;
export const ofProcess = `${ofExporterJobs}, instance=~"$instance"`;

/** Recorded sums are over all jobs and have no such label. */
export const recordedOfCloud = 'cloud=~"$cloud"';
export const recordedOfZone = `${recordedOfCloud}, region=~"$region", zone=~"$zone"`;
export const recordedOfHost = `${recordedOfZone}, host=~"$host"`;
export const recordedOfProject = `${recordedOfZone}, project_domain=~"$project_domain", project=~"$project"`;

export const zone = ['cloud', 'region', 'zone'];
export const project = ['cloud', 'project_domain', 'project'];
export const server = ['cloud', 'id'];

/** A selector of one metric: `select('up', ofJob)` is `up{job=~"$job"}`. */
export function select(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${matchers.join(', ')}}`;
}

/** Exporters whose snapshot of a cloud is not the newest one that is told of it. */
function outdated(scope: string): string {
  const snapshots = select('cloud_snapshot_timestamp_seconds', scope);
  return `${snapshots} < on (cloud) group_left () max by (cloud) (${snapshots})`;
}

/**
 * The one way to ask for what exporters tell of a cloud, the same as in the rules. Two may tell of one: a pod is
 * replaced, or both of a pair are scraped. Then the newest snapshot counts, and what is told twice counts once.
 */
export function once(metric: string, ...matchers: readonly string[]): string {
  const [all] = matchers;
  const scope = all?.includes(ofInstance) ? ofInstance : ofCloud;
  return `max without (job, instance, pod) (${select(metric, ...matchers)} unless on (cloud, job, instance) (${outdated(scope)}))`;
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

/** A zero for what has none; but nothing, where no cloud was read, because then nobody knows. */
export function orZero(vector: string): string {
  return `(${vector}) or 0 * count(${select('cloud_up', ofCloud)} == 1)`;
}

/** Of the lines of a chart, beside that of the others, and of bars. */
const mostLines = 10;
export const others = 'others';

/** A bar for each of the largest; of these labels some may be empty. */
export function largestBars(labels: readonly string[], vector: string): { expr: string }[] {
  return [{ expr: naming(labels, `sort_desc(topk(${mostLines}, ${vector}))`) }];
}

/** The largest over all of the time that is shown, so that no line comes and goes with its rank. */
function amongLargest(labels: readonly string[], vector: string): string {
  return `on (${labels.join(', ')}) topk(${mostLines}, max_over_time((${vector})[$__range:$__interval] @ end()))`;
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
  readonly colour?: string;
}

/** A line for each of the largest, and one for the sum of all the others. */
export function largestLines(labels: readonly string[], legend: string, vector: string): Query[] {
  const largestOnes = amongLargest(labels, vector);
  return [
    { expr: naming(labels.slice(1), `(${vector}) and ${largestOnes}`), legend },
    { expr: `sum((${vector}) unless ${largestOnes})`, legend: others, colour: 'text' },
  ];
}

/** The same for shares: those of the others are not added up, but taken of their parts together. */
export function fullestLines(
  labels: readonly string[],
  legend: string,
  free: string,
  allocatable: string,
): Query[] {
  const fullestOnes = amongLargest(labels, `1 - ${free} / ${allocatable}`);
  const sumOfOthers = (vector: string) => `sum(${vector} unless ${fullestOnes})`;
  return [
    { expr: naming(labels.slice(1), `(1 - ${free} / ${allocatable}) and ${fullestOnes}`), legend },
    { expr: `1 - ${sumOfOthers(free)} / ${sumOfOthers(allocatable)}`, legend: others, colour: 'text' },
  ];
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
