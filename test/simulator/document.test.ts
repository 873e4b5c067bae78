import { describe, expect, test } from 'vitest';
import { exporterAccount } from './accounts.ts';
import { elementTypes, serverTypes } from './document-tables.ts';
import { ask, idsOf, listOf, passwordIdentity, postLogin } from './raw-request.ts';
import { projectScope, startCloud, startedAt, takeToken, type Row } from './raw-request.ts';

const serverFields = serverTypes();
const start = (servers = 30) => startCloud({ servers, dialect: 'document' });

function misfits(record: Row, fields: ReadonlyMap<string, string>): string[] {
  const wrong = [...fields].filter(([name, type]) => !hasType(record[name], type)).map(([name]) => name);
  return [...wrong, ...Object.keys(record).filter((name) => !fields.has(name))];
}

describe('in the dialect of the document', () => {
  test('a server has exactly the documented fields, each of its type, and so have their elements', async () => {
    const cloud = await start(600);
    const { rows } = listOf(await ask(cloud, 'servers?details=true&with_meta=true'));
    expect([serverFields.size, rows.length]).toEqual([106, 600]);
    expect(rows.flatMap((row) => misfits(row, serverFields))).toEqual([]);
    for (const [field, fields] of Object.entries(elementTypes())) {
      const elements = rows.flatMap((row) => row[field] as Row[]);
      expect(elements.length).toBeGreaterThan(10);
      expect([...fields.keys()].filter((name) => /\W/.test(name))).toEqual([]);
      expect(elements.flatMap((element) => misfits(element, fields))).toEqual([]);
    }
  });

  test('a list has limit, offset, servers and total always, and no parameter beside the documented is heard', async () => {
    const cloud = await start();
    const query = 'details=true&limit=7&offset=14&field=id&filter=id.in(nobody)&status=none';
    const answer = await ask(cloud, `servers?${query}`);
    expect(Object.keys(answer.json as object)).toEqual(['limit', 'offset', 'servers', 'total']);
    expect(answer.json).toMatchObject({ limit: 7, offset: 14, total: 30 });
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(idsOf(listOf(answer))).toEqual(cloud.fleet.servers.slice(14, 21).map(({ id }) => id));
    const plain = listOf(await ask(cloud, 'servers?details=false')).rows[0];
    for (const field of ['zone', 'project', 'disk', 'metadata']) expect(plain).not.toHaveProperty(field);
    const nothing = { limit: 2048, offset: 0, servers: [], total: 0 };
    expect((await ask(await start(0), 'servers')).json).toEqual(nothing);
  });

  test('a token that is no good is 401, and one without a scope 403', async () => {
    let now = 0;
    const cloud = await startCloud({ dialect: 'document', now: () => now, tokenLifetimeSeconds: 60 });
    const token = await takeToken(cloud);
    const statusOf = async (sent: string) => (await ask(cloud, 'servers', sent)).status;
    now = 59_999;
    expect(await statusOf(token)).toBe(200);
    now = 60_000;
    expect([await statusOf(token), cloud.journal.usedDeadTokens.length]).toEqual([401, 1]);
    const revoked = await takeToken(cloud);
    cloud.revokeTokens();
    expect([await statusOf(revoked), await statusOf('deadbeef')]).toEqual([401, 401]);
    expect(await statusOf(await takeToken(cloud, undefined, {}))).toBe(403);
  });

  test('a login names its domain as it is documented, and is answered so; what is refused is 401', async () => {
    const cloud = await startCloud({ dialect: 'document', passwordExpiresAt: startedAt });
    const { status, json } = await postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
    const PasswordExpiresAt = '2026-11-15T00:00:00.000000Z';
    const user = { Name: 'exporter', Domain: { name: 'Default' }, PasswordExpiresAt };
    const token = { policies: { System: ['sysadmin'] }, project: { Name: 'system' }, user };
    expect([status, json]).toMatchObject([201, { token }]);
    const { name, password, domain } = exporterAccount;
    const statusOf = async (user: object) =>
      (await postLogin(cloud, { identity: { methods: ['password'], password: { user } } })).status;
    expect(await statusOf({ name, password, domain: { name: domain.name } })).toBe(409);
    expect(await statusOf({ name: 'nobody', password, Domain: { name: domain.name } })).toBe(401);
  });
});

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** What the document's word for a type allows. A timestamp that is not set is null: the document shows no other form. */
function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'timestamp') return value === null || (typeof value === 'string' && timestampForm.test(value));
  if (type.startsWith('array of ')) return Array.isArray(value);
  if (!type.startsWith('object map')) return typeof value === type;
  return Object.values(value as object).every((inner) => typeof inner === 'string');
}
