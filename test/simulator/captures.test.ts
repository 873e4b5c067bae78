import { describe, expect, test } from 'vitest';
import type { Release } from '../../src/simulator/answer.ts';
import type { Project } from '../../src/simulator/fleet/places.ts';
import { captured } from '../support/capture.ts';
import * as accounts from './accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { serverTypes } from './document-tables.ts';
import { exchange, identityOf, idsOf, jsonHeaders, list, postLogin, projectScope } from './raw-request.ts';
import { startCloud, takeToken, webScope, type Row } from './raw-request.ts';

/** Much of what is looked up or summed for a record with details is not told: what of it is, is as it was captured. */
const everything = '*';
type Case = [target: string, release: Release, captures: readonly string[], untold?: string];

const hosts = (details: boolean) =>
  (
    'baremetal-free baremetal-used emulated-aliyun esxi-bound-6 esxi-bound-null kvm-disabled kvm-hugepage ' +
    'kvm-null-reserved kvm-offline kvm-overcommit-0 kvm-overcommit-4-2 kvm-overcommit-4-2-reserved ' +
    'kvm-overcommit-null kvm-reserved-null kvm-with-gpus'
  )
    .split(' ')
    .map((kind) => `room/host-${kind}-details_${details}`);

const releases: readonly Release[] = ['3.11', '4.0'];
/** The simulator has what 3.10 told in the words of 3.11. */
const seenReleases = ['3.10', ...releases];
const releaseOf = (name: string) => releases.find((one) => name.startsWith(`releases/${one}-`)) ?? '3.11';
const ofRelease = (release: Release, what: string) =>
  (release === '3.11' ? ['3.10', '3.11'] : [release]).map((one) => `releases/${one}-servers-${what}-limit_3`);
const unusedColumns = 'freezed guest_ip_end guest_ip_start ifname_hint tenant_id';
/** Absent in a record of what was never synchronised, of which none was captured. */
const syncTimes = 'last_sync';
const cases: Case[] = [
  ...releases.flatMap((release): Case[] => [
    ['servers?details=false', release, ofRelease(release, 'nodetails')],
    [
      'servers?details=true',
      release,
      [...ofRelease(release, 'details'), 'ids/servers-gt-le-details_true', 'ids/servers-gt-details_true'],
      'disks_snapshotpolicy_count monitor_url snapshotpolicy_count host_access_ip host_access_mac',
    ],
  ]),
  [
    'servers?details=false',
    '3.11',
    ['ids/odd-ids-ascending-details_false', 'ids/servers-gt-le-details_false'],
  ],
  ['hosts?details=false&show_emulated=true', '3.11', hosts(false)],
  ['hosts?details=true&show_emulated=true', '3.11', hosts(true), everything],
  ['storages?details=false', '3.11', ['room/storages-plain-all', 'ids/storages-gt-le-details_false']],
  ['storages?details=true&show_emulated=true', '3.11', ['room/storages-detailed-emulated'], everything],
  [
    'isolated_devices?details=false',
    '3.11',
    ['room/devices-plain', 'ids/isolated_devices-gt-le-details_false'],
  ],
  ['isolated_devices?details=true', '3.11', ['room/devices-detailed'], everything],
  ['networks?details=false', '3.11', ['lists/networks-plain'], unusedColumns],
  ['networks?details=true', '3.11', ['lists/networks-detailed'], everything],
  ['cloudproviderregions?details=false', '3.11', ['lists/cloudproviderregions-plain'], syncTimes],
  ['cloudproviderregions?details=true', '3.11', ['lists/cloudproviderregions-detailed'], everything],
  ['zones?details=false', '3.11', ['names/zones-plain', 'ids/zones-gt-le-details_false']],
  ['cloudregions?details=false', '3.11', ['names/cloudregions-plain']],
];

/** Some fields are told of one of these only: what is own, of a managed cloud, or public; machines free and in use. */
function kindOf({ hypervisor, manager_id, is_emulated, is_baremetal, status }: Row): string {
  if (hypervisor !== undefined) return 'server';
  return `${manager_id !== undefined} ${is_emulated === true} ${is_baremetal === true && String(status)}`;
}

describe('the records of a list', () => {
  test.each(cases)(
    '%s (%s) have what each captured one has, of the same type, and nothing unknown',
    async (target, release, captures, untold = '') => {
      const cloud = await startCloud({ servers: 300, release });
      const { rows } = await list(cloud, target);
      // A server that was never scheduled has no place; such were captured too, but not with these lists.
      const placed = rows.filter((row) => !target.startsWith('servers') || 'host_id' in row);
      const seen = captures.flatMap((name) => captured(name).rows);
      const leftOut = new Set(untold.split(' '));
      const known = new Map(seen.flatMap((row) => Object.entries(row)));
      for (const kind of new Set(placed.map(kindOf))) {
        const [alike = [], own = []] = [seen, placed].map((some) =>
          some.filter((row) => kindOf(row) === kind),
        );
        const isAlways = (key: string) =>
          untold !== everything && alike.every((row) => key in row) && !leftOut.has(key);
        const always = [...known.keys()].filter(isAlways);
        const never = [...known.keys()].filter((key) => !alike.some((row) => key in row));
        expect(untold === everything || always.length > 6).toBe(true);
        for (const row of own) {
          const amiss = [...always.filter((key) => !(key in row)), ...never.filter((key) => key in row)];
          expect(amiss, kind).toEqual([]);
        }
      }
      const documented = target.startsWith('servers') ? serverTypes() : known;
      for (const [key, value] of rows.flatMap((row) => Object.entries(row))) {
        if (known.has(key)) expect([key, typeof value]).toEqual([key, typeof known.get(key)]);
        else expect(oftenLeftOut.has(key) || documented.has(key), key).toBe(true);
        if (key !== '_i18n') expect(isTold(value), `${key} is left out where it is empty`).toBe(true);
      }
    },
  );

  test('never scheduled, have no place, and say that they do not know their brand', async () => {
    const seen = captured('server-api-created-sched-fail').json['server'] as Row;
    const { rows } = await list(await startCloud({ servers: 60 }), 'servers');
    const lost = rows.filter((row) => !('host_id' in row));
    expect(lost.length).toBeGreaterThan(0);
    for (const row of [seen, ...lost]) {
      expect(row).toMatchObject({ status: 'sched_fail', brand: 'Unknown', provider: 'Unknown', disk: 0 });
      for (const field of ['zone', 'region', 'host', 'disks_info', 'project_id'])
        expect(row).not.toHaveProperty(field);
    }
  });

  test.each(seenReleases)('of %s have with field= what was captured with it', async (release) => {
    for (const what of ['field', 'nodetails-field']) {
      const name = `releases/${release}-servers-${what}-limit_3`;
      const cloud = await startCloud({ servers: 300, release: releaseOf(name) });
      const { request, rows } = captured(name);
      const query = new URLSearchParams(request.target.split('?')[1]);
      query.delete('limit');
      const sent = new Set((await list(cloud, `servers?${query}`)).rows.flatMap((row) => Object.keys(row)));
      expect(rows.flatMap((row) => Object.keys(row)).filter((key) => !sent.has(key))).toEqual([]);
      expect([...sent].filter((key) => !query.getAll('field').includes(key))).toEqual([]);
    }
  });
});

/** Columns that are empty in every record of the captures. */
const oftenLeftOut = new Set(['guest_id', 'imported_at', 'os_arch', 'sn', 'source']);

function isTold(value: unknown): boolean {
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

describe('a list by id is answered as it was', () => {
  test.each([
    'ids/cloudregions-gt-none-details_false',
    'ids/servers-gt-nothing-matches-details_false',
    'ids/servers-gt-le-details_false',
    'ids/hosts-gt-le-details_false',
    'ids/zones-gt-le-details_false',
    'names/zones-plain',
    'lists/list-only-networks',
    'lists/cloudproviderregions-row_id',
    'names/cloudregions-names-fields',
    'scopes/storages-details_true-list-only',
  ])('with the same keys around the records: %s', async (name) => {
    const { json, request } = captured(name);
    const cloud = await startCloud({ servers: 300 });
    const { json: answered } = await askAs(cloud, accounts.listAccount, anywhere(request.target));
    expect(Object.keys(answered as object)).toEqual(Object.keys(json));
  });

  const whole = 'filter-misspelt-column filter-misspelt-op filter-unquoted-comma';
  test.each([...whole.split(' '), 'servers-gt-empty-string-details_false'])(
    'with everything: %s',
    async (name) => {
      const { request, json } = captured(`ids/${name}`);
      const cloud = await startCloud();
      const { json: answered } = await askAs(cloud, accounts.exporterAccount, request.target);
      expect(json['total']).toBeGreaterThan(2000);
      expect(answered).toMatchObject({ total: (await list(cloud, 'servers')).total! });
    },
  );

  test.each(['backquoted', 'quote-then-text'])('with nothing, or not at all: %s', async (name) => {
    const { request, json, status } = captured(`ids/filter-${name}`);
    const answer = await askAs(await startCloud(), accounts.exporterAccount, request.target);
    expect([answer.status, withoutTime(answer.json)]).toEqual([status, withoutTime(json)]);
  });

  test.each(['row_id', 'id-gt'])('from the first on, without an id: cloudproviderregions-%s', async (way) => {
    const { request, rows, json } = captured(`lists/cloudproviderregions-${way}`);
    const { json: answered } = await askAs(await startCloud(), accounts.exporterAccount, request.target);
    const { cloudproviderregions: sent, total } = answered as { cloudproviderregions: Row[]; total: number };
    const rowIds = (some: readonly Row[]) => some.map((row) => row['row_id']);
    expect([rowIds(sent), total > sent.length]).toEqual([rowIds(rows), Number(json['total']) > rows.length]);
  });

  test('in the same order of odd ids', async () => {
    const ids = captured('ids/odd-ids-ascending-details_false').rows.map(({ id }) => String(id));
    expect(ids.length).toBeGreaterThan(12);
    const cloud = await startCloud({ servers: ids.length });
    const born = cloud.fleet.servers.map(({ id }) => id);
    for (const [index, id] of ids.toReversed().entries()) cloud.fleet.change(born[index]!, { id });
    expect(idsOf(await list(cloud, 'servers?pending_delete=all&order_by=id&order=asc'))).toEqual(ids);
  });
});

describe('who may not is refused as it was', () => {
  const { listAccount, domainAccount, plainAccount, powerlessAccount } = accounts;
  test.each<[name: string, account: accounts.Account, scope?: object]>([
    // In a project that its role is not bound to.
    ['releases/3.11-403-bob', listAccount, webScope],
    ['scopes/servers-domain-admin-scope_system', domainAccount],
    ['scopes/servers-project-user-scope_domain', plainAccount],
    ['scopes/servers-project-user-scope_system', plainAccount],
    ['names/hosts-project-user', plainAccount],
    ['names/hosts-project-user-scope_system', plainAccount],
    ['names/storages-project-user', plainAccount],
    ['names/isolated_devices-project-user', plainAccount],
    ...seenReleases.flatMap((release): [string, accounts.Account][] => [
      [`releases/${release}-403-alice`, plainAccount],
      [`releases/${release}-403-bob`, powerlessAccount],
      [`releases/${release}-403-dom`, domainAccount],
    ]),
  ])('word for word: %s', async (name, account, scope) => {
    const cloud = await startCloud({ release: releaseOf(name) });
    const { status, json, request } = captured(name);
    const answer = await askAs(cloud, account, request.target, scope);
    expect([answer.status, withoutTime(answer.json)]).toEqual([status, withoutTime(json)]);
  });

  const badTokens = seenReleases.map((release) => `releases/${release}-403-bad-token`);
  test.each(['scopes/servers-invalid-scope_system', ...badTokens])('with the token: %s', async (name) => {
    const cloud = await startCloud({ release: releaseOf(name) });
    const { json, request } = captured(name);
    const headers = { 'X-Auth-Token': 'nonsense' };
    const answer = await exchange({ url: cloud.baseUrl + request.target, headers });
    expect((answer.json as Row)['details']).toBe(`${String(json['details'])} [token "nonsense"]`);
  });

  test('and whose limit is no number', async () => {
    const unreadable = await askAs(await startCloud(), accounts.exporterAccount, '/servers?limit=abc');
    const { class: named } = captured('servers-limit_abc').json;
    expect(unreadable).toMatchObject({ status: 500, json: { class: named } });
  });
});

describe('a login is answered as it was', () => {
  const secret = accounts.plainAccount.password;
  /** By whom the captured account is here, and what stood for the password. */
  const logins = {
    [`alice ${secret}`]:
      'ok no-domain-unique-user no-scope-unscoped path-trailing-slash path-double-slash unknown-method ' +
      'unknown-project unknown-project-domain project-without-role scope-domain two-methods body-not-json ' +
      'no-content-type get-on-token-path get-root get-v3 path-no-version path-capital-V3 path-v3-only path-v3-v3 path-root ' +
      'path-v2-with-v3-body',
    'alice wrong': 'wrong-password',
    'alice ': 'empty-password',
    ' any': 'unknown-user no-domain-unknown-user unknown-user-domain known-user-in-wrong-domain',
    'exporter any': 'no-domain-user-in-two-domains',
    'carol any': 'disabled-user disabled-user-wrong-password',
  };
  const named = Object.entries(logins).flatMap(([who, names]) => names.split(' ').map((name) => [name, who]));
  test.each(named as [string, string][])('%s', async (name, who) => {
    const [user = '', password = ''] = who.split(' ');
    const cloud = await startCloud();
    const { status, json, request } = captured(`logins/${name}`);
    const isOther = ({ domain, name: known }: Project) => domain.id === 'default' && known !== 'web';
    const project = `"${cloud.fleet.projects.find(isOther)!.name}"`;
    const body = request.body
      .replace(/"name": "(alice|locky|twin|disabled-user)"/, (whole) => (user ? `"name": "${user}"` : whole))
      .replace('<PASSWORD>', password)
      .replace('"dept-b"', '"Retail"')
      .replace('"data"', project);
    const headers = name === 'no-content-type' ? {} : jsonHeaders;
    const url = cloud.authUrl + request.target;
    const answer = await exchange({ url, method: request.method, headers, body });
    expect(answer.status).toBe(status);
    if (status === 200) return expect(keysOf(answer.json)).toEqual(keysOf(json));
    const details = String(json['details']).replace('"data"', project);
    const isOurs = ['body-not-json', 'path-v2-with-v3-body'].includes(name);
    expect(answer.json).toMatchObject({ class: json['class'], ...(!isOurs && { details }) });
  });

  test('by an access key, whose signature is verified', async () => {
    const { request, json } = captured('token-by-aksk');
    const cloud = await startCloud();
    const url = `${cloud.authUrl}/v3/auth/tokens`;
    const login = (body: string) => exchange({ url, method: 'POST', headers: jsonHeaders, body });
    expect(Object.keys((await login(request.body)).json as Row)).toEqual(Object.keys(json));
    expect((await login(request.body.replace('T001313Z', 'T001314Z'))).status).toBe(401);
  });

  test.each([
    ['alice', accounts.plainAccount, 'project'],
    ['da-admin', accounts.domainAccount, 'domain'],
    ['exporter-list-only', accounts.listAccount, 'system'],
    ['sysadmin', accounts.exporterAccount, 'system'],
  ])('with the policies that %s has, and nothing but these', async (name, account, scope) => {
    const scoped = account.rights === 'system' ? projectScope : webScope;
    const answer = await postLogin(await startCloud(), { identity: identityOf(account), scope: scoped });
    const { token } = answer.json as { token: Row };
    const { policies } = captured(`scopes/token-${name}`).json['token'] as Row;
    expect([Object.keys(token['policies'] as Row), Object.keys(policies as Row)]).toEqual([[scope], [scope]]);
  });
});

/** The bounds of the capture are ids that are not here: from the first to the last. */
function anywhere(target: string): string {
  return target
    .replace(/id\.gt\(%22[0-9a-e][^)]*\)/, 'id.gt(%22%22)')
    .replace(/id\.le\(%22[^)]*\)/, 'id.le(%22zz%22)');
}

async function askAs(cloud: SimulatedCloud, account: accounts.Account, target: string, scope?: object) {
  const headers = { 'X-Auth-Token': await takeToken(cloud, account, scope) };
  return exchange({ url: cloud.baseUrl + target, headers });
}

function withoutTime(answer: unknown): object {
  return { ...(answer as object), time: '' };
}

/** Of the body and of the token in it. */
function keysOf(body: unknown): object {
  const { token, ...rest } = body as { token: Row };
  const keys = Object.keys(token).filter((key) => key !== 'audit_ids');
  return [Object.keys(rest), keys, Object.keys(token['user'] as Row)];
}
