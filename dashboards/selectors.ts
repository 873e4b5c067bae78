/** Devices that people wait for; network cards and the like are passed through as well. Same as in the alerts. */
export const gpuTypes = 'dev_type=~".*GPU.*|NPU"';

/** Every panel asks the chosen job; the other variables narrow it down. All of them match empty labels on "All". */
export const ofJob = 'job=~"$job"';
export const ofCloud = `${ofJob}, cloud=~"$cloud"`;
export const ofZone = `${ofCloud}, region=~"$region", zone=~"$zone"`;
export const ofHost = `${ofZone}, host=~"$host"`;
export const ofPlace = `${ofZone}, hypervisor=~"$hypervisor", project_domain=~"$project_domain", project=~"$project"`;
/** The place without the owner: what a project is a share of. */
export const ofAllProjects = `${ofZone}, hypervisor=~"$hypervisor"`;
export const ofInstance = `${ofCloud}, instance=~"$instance"`;
/** Other jobs have `up` and `process_*` too, which "all" jobs would match. */
export const ofExporterJobs = `${ofJob}, job=~"$exporter_job"`;
export const ofProcess = `${ofExporterJobs}, instance=~"$instance"`;

/** Recorded sums are over all jobs and have no such label. */
export const recordedOfCloud = 'cloud=~"$cloud"';
export const recordedOfZone = `${recordedOfCloud}, region=~"$region", zone=~"$zone"`;
export const recordedOfHost = `${recordedOfZone}, host=~"$host"`;

/** A selector of one metric: `select('up', ofJob)` is `up{job=~"$job"}`. */
export function select(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${matchers.join(', ')}}`;
}

/** While a pod is replaced two exporters tell of the same cloud: what both tell counts once, as in the rules. */
export function once(metric: string, ...matchers: readonly string[]): string {
  return `max without (job, instance, pod) (${select(metric, ...matchers)})`;
}

export function sumBy(labels: readonly string[], vector: string): string {
  return labels.length === 0 ? `sum(${vector})` : `sum by (${labels.join(', ')}) (${vector})`;
}

export function maxBy(labels: readonly string[], vector: string): string {
  return labels.length === 0 ? `max(${vector})` : `max by (${labels.join(', ')}) (${vector})`;
}

/** One series a server, also while two exporters tell of different hosts or names of it. */
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

/** The most of them, by another measure than the one shown: so that columns of a table have the same rows. */
export function amongTop(vector: string, measure: string): string {
  return `${vector} and topk($top, ${measure})`;
}

/** An exporter may share its job with others: only targets that say that they are one. */
export function ofExporters(vector: string): string {
  return `${vector} and on (job, instance) ${select('cloud_exporter_build_info', ofProcess)}`;
}
