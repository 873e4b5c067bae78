import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';

/** The settings with which the exporter logs in to a simulated cloud, and sees all of it. */
export function settingsFor(cloud: { readonly authUrl: string }, more: object = {}): object {
  return {
    auth_url: cloud.authUrl,
    username: exporterAccount.name,
    password: exporterAccount.password,
    user_domain_name: exporterAccount.domain.name,
    project_name: systemProject.name,
    project_domain_name: systemProject.domain.name,
    query: { scope: 'system', pending_delete: 'all' },
    ...more,
  };
}
