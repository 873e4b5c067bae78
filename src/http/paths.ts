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

/** The header comes from anybody: only what is a host name or an address, and a port, may stand in a configuration. */
export function isHost(text: string | undefined): text is string {
  const host = /^([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;
  return text !== undefined && host.test(text);
}
