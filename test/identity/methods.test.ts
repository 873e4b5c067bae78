import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessKey, exporterAccount, systemProject } from '../simulator/accounts.ts';
import type { SimulatedCloud } from '../simulator/cloud.ts';
import { takeToken } from '../simulator/raw-request.ts';
import { parseExposition } from '../support/exposition.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';

const { id, name, password, domain } = exporterAccount;
const scope = { project_name: systemProject.name, project_domain_name: systemProject.domain.name };
const key = { access_key: accessKey.id, secret_key: accessKey.secret };

type Settings = object | ((cloud: SimulatedCloud) => object | Promise<object>);
const ways: readonly (readonly [string, Settings])[] = [
  ['a password and a domain name', { username: name, password, user_domain_name: domain.name, ...scope }],
  ['a password and a domain id', { username: name, password, user_domain_id: domain.id, ...scope }],
  ['a user id', { user_id: id, password, ...scope }],
  ['a domain as scope', { user_id: id, password, domain_id: 'default' }],
  ['an access key', { ...key, ...scope }],
  ['a CAS ticket', (cloud: SimulatedCloud) => ({ cas_ticket: cloud.issueTicket(), ...scope })],
  ['a token', async (cloud: SimulatedCloud) => ({ token: await takeToken(cloud), ...scope })],
];

describe.each(['document', 'platform'] as const)('in the dialect of the %s, a login', (dialect) => {
  async function loginWith(settings: Settings) {
    const cloud = await simulate({ servers: 20, dialect });
    const own = typeof settings === 'function' ? await settings(cloud) : settings;
    const one = { auth_url: `${cloud.authUrl}/v3`, query: 'scope=system', ...own };
    const exporter = await runExporter({ one });
    const isUp = async () => parseExposition(await exporter.text('/metrics')).value('cloud_up');
    return { cloud, exporter, isUp };
  }

  it.each(ways)('works with %s', async (_words, settings) => {
    const { isUp, exporter } = await loginWith(settings);
    expect(await isUp(), exporter.logged()).toBe(1);
  });

  it('reads its secret file again each time, so that rotation needs no restart', async () => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, `${password}\n`);
    const { cloud, isUp } = await loginWith({ user_id: id, password_file: file, ...scope });
    expect(await isUp()).toBe(1);
    cloud.setPassword('rotated');
    cloud.revokeTokens();
    await writeFile(file, 'rotated');
    expect(await isUp()).toBe(1);
    expect(cloud.journal.count('login')).toBe(2);
  });
});
