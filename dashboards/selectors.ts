/** Devices that people wait for; network cards and the like are passed through as well. Same as in the alerts. */
export const gpuTypes = 'dev_type=~".*GPU.*|NPU"';

/** Every panel asks the chosen job; the other variables narrow it down. All of them match empty labels on "All". */
export const ofJob = 'job=~"$job"';
export const ofCloud = `${ofJob}, cloud=~"$cloud"`;
export const ofPlace = `${ofCloud}, region=~"$region", zone=~"$zone", hypervisor=~"$hypervisor", project_domain=~"$project_domain", project=~"$project"`;
/** The place without the owner: what a project is a share of. */
export const ofAllProjects = `${ofCloud}, region=~"$region", zone=~"$zone", hypervisor=~"$hypervisor"`;
export const ofInstance = `${ofCloud}, instance=~"$instance"`;
export const ofProcess = `${ofJob}, instance=~"$instance"`;

/** A selector of one metric: `select('up', ofJob)` is `up{job=~"$job"}`. */
export function select(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${matchers.join(', ')}}`;
}

export function sumBy(labels: readonly string[], vector: string): string {
  return labels.length === 0 ? `sum(${vector})` : `sum by (${labels.join(', ')}) (${vector})`;
}

/** A server that was never scheduled has no region, zone or host: an empty name can be neither read nor clicked. */
export function naming(labels: readonly string[], vector: string): string {
  return labels.reduce(
    (inner, label) => `label_replace(${inner}, "${label}", "(none)", "${label}", "")`,
    vector,
  );
}

/** A number to look at also when nothing matches. */
export function orZero(vector: string): string {
  return `${vector} or vector(0)`;
}

/** The most of them, by another measure than the one shown: so that columns of a table have the same rows. */
export function amongTop(vector: string, measure: string): string {
  return `${vector} and topk($top, ${measure})`;
}

/** The difference to a day before, also for what is new and what is gone. */
export function changeOfDay(
  labels: readonly string[],
  metric: string,
  ...matchers: readonly string[]
): string {
  const now = sumBy(labels, select(metric, ...matchers));
  const before = sumBy(labels, `${select(metric, ...matchers)} offset 1d`);
  return `((${now}) or 0 * (${before})) - ((${before}) or 0 * (${now}))`;
}
