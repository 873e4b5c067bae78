/** The paths that are always ours; the one of the metrics can be chosen. */
export const paths = {
  landing: '/',
  probe: '/probe',
  servers: '/sd/servers',
  clouds: '/sd/clouds',
  runbook: '/runbook',
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

/** The header comes from anybody: only what is a host name or an address, and a port, may stand in a configuration. */
export function isHost(text: string | undefined): text is string {
  const host = /^([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;
  return text !== undefined && host.test(text);
}
