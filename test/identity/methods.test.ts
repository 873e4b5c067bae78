import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessKey, exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { parseExposition } from '../support/exposition.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';

const scope = { project_name: systemProject.name, project_domain_name: systemProject.domain.name };
const password = { username: exporterAccount.name, password: exporterAccount.password };

describe.each(['document', 'platform'] as const)('in the dialect of the %s, a login', (dialect) => {
  async function loginWith(settings: object) {
    const cloud = await simulate({ servers: 20, dialect });
    const exporter = await runExporter({
      one: { auth_url: `${cloud.authUrl}/v3`, query: 'scope=system', ...settings },
    });
    return { cloud, exporter, parsed: parseExposition(await exporter.text('/metrics')) };
  }

  it.each([
    [
      'a password and a domain name',
      { ...password, user_domain_name: exporterAccount.domain.name, ...scope },
    ],
    ['a password and a domain id', { ...password, user_domain_id: exporterAccount.domain.id, ...scope }],
    ['a user id', { user_id: exporterAccount.id, password: exporterAccount.password, ...scope }],
    [
      'a domain as scope',
      { user_id: exporterAccount.id, password: exporterAccount.password, domain_id: 'default' },
    ],
    ['an access key', { access_key: accessKey.id, secret_key: accessKey.secret, ...scope }],
  ])('works with %s', async (_words, settings) => {
    const { parsed, exporter } = await loginWith(settings);
    expect(parsed.value('cloud_up'), exporter.logged()).toBe(1);
  });

  it('works with a CAS ticket, once, and with a token', async () => {
    const cloud = await simulate({ servers: 20, dialect });
    const common = { auth_url: cloud.authUrl, query: 'scope=system', ...scope };
    const byTicket = await runExporter({ one: { ...common, cas_ticket: cloud.issueTicket() } });
    expect(parseExposition(await byTicket.text('/metrics')).value('cloud_up'), byTicket.logged()).toBe(1);
    const byToken = await runExporter({ one: { ...common, token: cloud.latestToken } });
    expect(parseExposition(await byToken.text('/metrics')).value('cloud_up'), byToken.logged()).toBe(1);
  });

  it('without a scope is refused by the list, and the exporter says what to do', async () => {
    const { parsed, exporter } = await loginWith({
      user_id: exporterAccount.id,
      password: exporterAccount.password,
    });
    expect(parsed.value('cloud_up')).toBe(0);
    expect(exporter.logged()).toContain('an unscoped token has no catalog');
  });

  it('reads its secret file again each time, so that rotation needs no restart', async () => {
    const file = join(await temporaryFolder(), 'password');
    await writeFile(file, `${exporterAccount.password}\n`);
    const { cloud, exporter, parsed } = await loginWith({
      user_id: exporterAccount.id,
      password_file: file,
      ...scope,
    });
    expect(parsed.value('cloud_up')).toBe(1);
    cloud.setPassword('rotated');
    cloud.revokeTokens();
    await writeFile(file, 'rotated');
    expect(parseExposition(await exporter.text('/metrics')).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('login')).toBe(2);
  });
});
