import { exporterAccount, systemProject } from './simulator/accounts.ts';
import { passOn, startSimulatedCloud, type Around } from './simulator/api.ts';
import { createFleet } from './simulator/fleet/fleet.ts';

export type Demo = Awaited<ReturnType<typeof startDemo>>;

const servers = 400;

/** A simulated cloud that lives, and the variables with which the exporter finds it. */
export async function startDemo() {
  const fleet = createFleet({ servers, rareCases: true });
  /** Time passes with each list of servers that begins. */
  const liveOn: Around = (call, answer, response) => {
    if (call.path.endsWith('/servers')) fleet.live(Date.now());
    return passOn(call, answer, response);
  };
  const cloud = await startSimulatedCloud({ fleet, around: () => liveOn });
  const environment = {
    OS_AUTH_URL: cloud.authUrl,
    OS_USERNAME: exporterAccount.name,
    OS_PASSWORD: exporterAccount.password,
    OS_USER_DOMAIN_NAME: exporterAccount.domain.name,
    OS_PROJECT_NAME: systemProject.name,
    OS_PROJECT_DOMAIN_NAME: systemProject.domain.name,
    CLOUD_NAME: 'demo',
    CLOUD_QUERY: 'scope=system&pending_delete=all',
  };
  return {
    environment,
    welcome: (url: string) => `
The demo runs: a simulated cloud of ${servers} servers that start, fail, come and go.

  ${url}/          how each cloud is doing
  ${url}/metrics   what Prometheus sees

Stop it with Ctrl-C.
`,
    stop: () => cloud.close(),
  };
}
