/** The paths that are always ours; the one of the metrics can be chosen. */
export const paths = {
  landing: '/',
  probe: '/probe',
  servers: '/sd/servers',
  clouds: '/sd/clouds',
  healthy: '/-/healthy',
  ready: '/-/ready',
  reload: '/-/reload',
} as const;

/** What is wrong with a path for the metrics. Case and a slash at the end make no difference to the router. */
export function telemetryPathProblem(path: string): string | undefined {
  if (!/^\/[\w./-]+$/.test(path)) return 'must start with / and name a path';
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'must be a plain path: no //, no . and no .. in it';
  const plain = `/${parts.join('/')}`.toLowerCase();
  const clash = Object.values(paths).find((own) => own === plain);
  return clash && `is ${clash}, which the exporter has for something else; choose another`;
}
