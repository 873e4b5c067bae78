import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { PlatformCost } from '../../test/simulator/journal.ts';

/** A process of its own: simulated clouds of each size, the same ones for every contestant. */

export interface CloudAddress {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly token: string;
}

export interface Bill {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Sent by the bench; each is answered with one message. */
export type Question =
  /** A cloud that speaks as the running platform does, and only writes down what its work would take. */
  | { readonly ask: 'live'; readonly servers: number; readonly hosts: number }
  /** Changes one server in so many; the next ones at the next time. */
  | { readonly ask: 'change'; readonly authUrl: string; readonly oneIn: number }
  /** What was spent since the last time. */
  | { readonly ask: 'bill'; readonly authUrl: string }
  | { readonly ask: 'start'; readonly servers: number; readonly slow: boolean }
  /** The offsets of the pages that were asked for since the last time. */
  | { readonly ask: 'pages'; readonly authUrl: string };

type Start = Omit<Extract<Question, { ask: 'start' }>, 'ask'>;

const slowPlatform = { millisecondsPerServer: 3, workers: 8 };
const fleets = new Map<number, Fleet>();
const clouds = new Map<string, SimulatedCloud>();
const started = new Map<string, Promise<CloudAddress>>();

/** Each cloud once: it remembers its servers as text. */
function cloudOf({ servers, slow }: Start): Promise<CloudAddress> {
  const key = `${servers} ${slow}`;
  const address = started.get(key) ?? start({ servers, slow });
  started.set(key, address);
  return address;
}

async function start({ servers, slow }: Start): Promise<CloudAddress> {
  const fleet = fleets.get(servers) ?? createFleet({ servers });
  fleets.set(servers, fleet);
  const cloud = await startSimulatedCloud({
    fleet,
    ...(slow && { platformCost: slowPlatform }),
  });
  clouds.set(cloud.authUrl, cloud);
  return { authUrl: cloud.authUrl, baseUrl: cloud.baseUrl, token: await login(cloud) };
}

async function login(cloud: SimulatedCloud): Promise<string> {
  const { name, password, domain } = exporterAccount;
  const scope = { project: { name: systemProject.name, domain: { name: systemProject.domain.name } } };
  const user = { name, password, Domain: { name: domain.name } };
  const identity = { methods: ['password'], password: { user } };
  const response = await fetch(`${cloud.authUrl}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ auth: { identity, scope } }),
  });
  const token = response.headers.get('x-subject-token');
  if (!token) throw new Error(`the simulated cloud refused the login: ${await response.text()}`);
  return token;
}

function takePages(authUrl: string): number[] {
  const journal = clouds.get(authUrl)!.journal;
  const offsets = journal.of('list').map(({ query }) => Number(query['offset'] ?? 0));
  journal.clear();
  return offsets;
}

const accounted: PlatformCost = {
  workers: Infinity,
  millisecondsPerServer: 3.6,
  millisecondsPerPlainServer: 0.65,
  wait: () => Promise.resolve(),
};

async function startLive(servers: number, hosts: number): Promise<CloudAddress> {
  const fleet = createFleet({ servers });
  const listed = fleet.hosts.filter(({ is_emulated }) => !is_emulated).length;
  for (let more = listed; more < hosts; more += 1) fleet.addHost();
  const plan = { fleet, platformCost: accounted } as const;
  const cloud = await startSimulatedCloud(plan);
  clouds.set(cloud.authUrl, cloud);
  return { authUrl: cloud.authUrl, baseUrl: cloud.baseUrl, token: await login(cloud) };
}

let changes = 0;

function change(authUrl: string, oneIn: number): number {
  const { fleet } = clouds.get(authUrl)!;
  const turn = (changes += 1) % oneIn;
  const ids = fleet.servers.filter((_, index) => index % oneIn === turn).map(({ id }) => id);
  fleet.changeAll(ids, ({ status }) => ({ status: status === 'running' ? 'ready' : 'running' }));
  return ids.length;
}

function takeBill(authUrl: string): Bill {
  const { ledger, journal } = clouds.get(authUrl)!;
  const { milliseconds, bytes } = ledger.total;
  ledger.clear();
  journal.clear();
  return { milliseconds, bytes };
}

process.on('message', (question: Question) => {
  const answer = (value: unknown) => process.send!(value);
  if (question.ask === 'pages') answer(takePages(question.authUrl));
  else if (question.ask === 'change') answer(change(question.authUrl, question.oneIn));
  else if (question.ask === 'bill') answer(takeBill(question.authUrl));
  else if (question.ask === 'live') void startLive(question.servers, question.hosts).then(answer);
  else void cloudOf(question).then(answer);
});
