import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessKey, exporterAccount } from './simulator/accounts.ts';
import type { SimulatedCloud } from './simulator/cloud.ts';
import { dayMs, patient, ruleAt, setStage, type Stage } from './faults/stage.ts';
import { faultRows, places, type Place } from './faults/table.ts';
import { takeToken } from './simulator/raw-request.ts';
import { temporaryFolder } from './support/simulated.ts';

const pauseMs = 600_000;

/** How an exporter is told who it is; `renew` puts a secret in its place that works for one more login. */
interface Method {
  readonly settings: object;
  readonly renew: () => Promise<void>;
  readonly secrets: () => readonly string[];
}

const noUser = { username: undefined, password: undefined, user_domain_name: undefined };

async function inFile(key: string, next: () => Promise<string>): Promise<Method> {
  const file = join(await temporaryFolder(), 'secret');
  const given: string[] = [];
  async function renew(): Promise<void> {
    given.push(await next());
    await writeFile(file, given.at(-1)!);
  }
  await renew();
  return { settings: { ...noUser, [key]: file }, renew, secrets: () => given };
}

function always(settings: object, ...secrets: readonly string[]): Method {
  return { settings, renew: async () => undefined, secrets: () => secrets };
}

const methods: Readonly<Record<string, (cloud: SimulatedCloud) => Promise<Method>>> = {
  password: async () => always({}, exporterAccount.password),
  token: (cloud) => inFile('token_file', () => takeToken(cloud)),
  'access key': async () =>
    always({ ...noUser, access_key: accessKey.id, secret_key: accessKey.secret }, accessKey.secret),
  'CAS ticket': (cloud) => inFile('cas_ticket_file', async () => cloud.issueTicket()),
};

const probe = '/probe?cloud=one';
const paths = ['/metrics', probe, `${probe}&debug=true`, '/sd/servers?cloud=one', '/sd/clouds', '/'];

/** Everything that an answer of the exporter tells, headers included. */
async function ask(url: string): Promise<string> {
  const response = await fetch(url, { headers: patient });
  return [...response.headers].flat().join(' ') + (await response.text());
}

/** Meets every fault of the table at this place, and returns all that was said meanwhile. */
async function tellAll(stage: Stage, place: Place, method: Method): Promise<string[]> {
  const told: string[] = [];
  for (const row of faultRows.filter((row) => row[place] !== undefined)) {
    await stage.clock.advance(place === 'login' ? dayMs : pauseMs);
    await method.renew();
    for (const path of paths) {
      const rule = stage.cloud.faults.set({ ...ruleAt(place), fault: row.fault(place, stage.world) });
      told.push(await stage.during({ row, rule }, () => ask(`${stage.exporter.url}${path}`)));
      stage.cloud.faults.clear();
    }
  }
  return [...told, stage.exporter.logged()];
}

describe.each(Object.keys(methods))('with %s no secret is told, at any level of the log,', (name) => {
  const struck = name === 'password' ? places : (['login'] as const);
  it.each(struck)('whatever fails at the place "%s"', async (place) => {
    const made: Method[] = [];
    const stage = await setStage(async (cloud) => {
      const method = await methods[name]!(cloud);
      made.push(method);
      return { ...method.settings, per_server: true, labels: { team: 'metadata.user:team' } };
    });
    const [method] = made;
    const told = await tellAll(stage, place, method!);
    const { cloud } = stage;
    const metadataOf = (key: string) => cloud.fleet.servers.map(({ metadata }) => metadata[key]!);
    const signatures = cloud.journal
      .of('login')
      .flatMap(({ body }) => /signature\\":\\"(\w+)/.exec(body)?.[1] ?? []);
    expect(signatures.length > 0).toBe(name === 'access key');
    const tokens = new Set(cloud.journal.entries.flatMap(({ tokenSent }) => tokenSent ?? []));
    tokens.add(cloud.latestToken!);
    for (const secret of [...method!.secrets(), ...tokens, ...signatures, ...metadataOf('login_key')]) {
      expect(secret.length).toBeGreaterThan(12);
      expect(told.filter((text) => text.includes(secret)).length, secret).toBe(0);
    }
    const unasked = ['cost_center', 'user:owner'].flatMap(metadataOf);
    expect(unasked.filter((value) => told.some((text) => text.includes(value)))).toEqual([]);
    // What failed was told, so the silence about secrets is not that of a test which saw nothing.
    const outcomes = new Set(faultRows.map((row) => row[place] ?? 'fine'));
    for (const outcome of outcomes)
      if (outcome !== 'fine') expect(told.join('\n')).toContain(`failed (${outcome.reason})`);
    expect(stage.strayed).toEqual([]);
  });
});
