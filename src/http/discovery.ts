import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import type { Cloud } from '../cloud.ts';
import { locations } from '../inventory/location.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Server } from '../platform/server.ts';
import { states } from '../platform/state.ts';
import { createSlices, isOver, nextSlice, type YieldToEventLoop } from '../yield-to-event-loop.ts';
import { patienceOf } from './metrics.ts';
import { isHost } from './paths.ts';
import { sendText, type Sending } from './send.ts';

const contentType = 'application/json; charset=utf-8';

/** Scrapes keep the snapshot fresh; discovery asks the platform itself only where nobody scrapes. */
const acceptAgeMs = 60_000;

/** The servers of one cloud as targets. While nothing is known it answers an error: Prometheus then keeps what it has. */
export async function answerServers(
  request: Request,
  response: Response,
  { config, collector }: Cloud,
  { send, yieldToEventLoop }: Sending,
): Promise<void> {
  const parameters = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
  const options = readOptions(parameters, Object.keys(config.settings.labels));
  if ('problem' in options) return sendText(response, 400, options.problem);
  // Prometheus waits for discovery as long as its refresh interval.
  const patienceMs = patienceOf(request.get('x-prometheus-refresh-interval-seconds'));
  const view = await collector.answer({ patienceMs, acceptAgeMs, withServers: true });
  await yieldToEventLoop();
  if (!view.snapshot?.servers) {
    const why = view.failure ? `the latest collection failed: ${view.failure.reason}` : 'none is done yet';
    const words = `the servers of ${config.name} are not known (${why}); see /probe, with debug=true`;
    return sendText(response, 503, words);
  }
  const pieces = writeGroups(targetsOf(view.snapshot, options), yieldToEventLoop);
  return send(request, response, { type: contentType, pieces });
}

/** One target for each configured cloud, complete but for the job: path, parameter and instance come along. */
export async function answerClouds(
  request: Request,
  response: Response,
  { clouds, send, yieldToEventLoop }: Sending & { clouds: readonly string[] },
): Promise<void> {
  const host = request.get('host');
  if (!isHost(host)) return sendText(response, 400, 'the Host header names no host');
  const groups = clouds.map((cloud) => ({
    targets: [host],
    labels: {
      __metrics_path__: '/probe',
      __param_cloud: cloud,
      __meta_cloud_name: cloud,
      // Behind a proxy only the job knows the scheme, so nothing is said unless this connection is secure.
      ...(request.secure && { __scheme__: 'https' }),
      instance: cloud,
    },
  }));
  return send(request, response, { type: contentType, pieces: writeGroups(groups, yieldToEventLoop) });
}

const networkProblem = 'network goes with address=private or address=ipv6: a public address is of no network';
const settingNames: readonly string[] = ['cloud', 'address', 'network', 'port'];

/** Which servers become targets of Prometheus, and at which of their addresses; a server must pass every filter. */
function readOptions(parameters: URLSearchParams, extraLabels: readonly string[]) {
  const filters = new Map<string, ReadonlySet<string>>();
  const known = [...settingNames, ...filterNames, ...extraLabels];
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (!known.includes(name)) return { problem: unknownWord('parameter', name, known) };
    if (!settingNames.includes(name)) filters.set(name, new Set(values));
    else if (values.length > 1) return { problem: `${name} may be given once` };
  }
  const knownStates: readonly string[] = states;
  const oddState = parameters.getAll('state').find((state) => !knownStates.includes(state));
  if (oddState !== undefined) return { problem: unknownWord('state', oddState, states) };
  const wanted = parameters.get('address') ?? 'private';
  const address = addressKinds.find((kind) => kind === wanted);
  if (!address) return { problem: unknownWord('address', wanted, addressKinds) };
  const network = parameters.get('network') ?? undefined;
  if (network !== undefined && address === 'public') return { problem: networkProblem };
  const port = parameters.get('port') ?? '9100';
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    return { problem: `port must be a number from 1 to 65535, not ${port}` };
  return { address, network, port: Number(port), filters };
}

function unknownWord(what: string, word: string, known: readonly string[]): string {
  return `unknown ${what} ${word}; known: ${known.join(', ')}`;
}

const addressKinds = ['private', 'public', 'ipv6'] as const;
type TargetOptions = Exclude<ReturnType<typeof readOptions>, { problem: string }>;

const facts: Readonly<Record<string, (server: Server) => string>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  ...Object.fromEntries(locations.map(({ label, of }) => [label, (server) => of(server, server, server)])),
  status: ({ status }) => status,
  state: ({ state }) => state,
  host: ({ host }) => host,
  os_type: ({ osType }) => osType,
  instance_type: ({ instanceType }) => instanceType,
  brand: ({ brand }) => brand,
  billing_type: ({ billingType }) => billingType,
  pending_deleted: ({ pendingDeleted }) => String(pendingDeleted),
};

/** What a request may filter by, besides the extra labels of the cloud. */
const filterNames: readonly string[] = Object.keys(facts);

/** The servers that pass, ordered by id: the same list gives the same answer, however the platform sorts it. */
function* targetsOf(snapshot: Snapshot, options: TargetOptions): Generator<object | undefined> {
  const passes = [...options.filters].map(([name, accepted]) => {
    const position = snapshot.extraLabels.indexOf(name);
    const read = facts[name] ?? (({ extra }: Server) => extra[position] ?? '');
    return (server: Server) => accepted.has(read(server));
  });
  // What waits in the recycle bin is nobody's target, unless it is asked for.
  const isBinWanted = options.filters.has('pending_deleted') || options.filters.has('state');
  for (const server of orderedServers(snapshot)) {
    const isChosen = (isBinWanted || !server.pendingDeleted) && passes.every((pass) => pass(server));
    const address = isChosen ? addressOf(server, options.address, options.network) : undefined;
    const host = address !== undefined && isIP(address) === 6 ? `[${address}]` : address;
    // What is left out takes its time, too.
    yield host === undefined
      ? undefined
      : { targets: [`${host}:${options.port}`], labels: labelsOf(server, snapshot) };
  }
}

const orders = new WeakMap<Snapshot, readonly Server[]>();

/** Sorted once for a snapshot, whoever asks. */
function orderedServers(snapshot: Snapshot): readonly Server[] {
  const { servers = [] } = snapshot;
  const ordered = orders.get(snapshot) ?? servers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  orders.set(snapshot, ordered);
  return ordered;
}

/** `ips` is in the platform's own order of preference; the cards are asked where it has nothing of the kind. */
function addressOf(server: Server, kind: TargetOptions['address'], network?: string): string | undefined {
  if (kind === 'public') return isIP(server.eip) === 0 ? undefined : server.eip;
  const version = kind === 'ipv6' ? 6 : 4;
  const cards = server.nics.filter((nic) => network === undefined || nic.network === network);
  const listed = network === undefined ? server.ips.split(',').map((text) => text.trim()) : [];
  const candidates = [...listed, ...cards.map(({ ipv4, ipv6 }) => (version === 6 ? ipv6 : ipv4))];
  return candidates.find((text) => isIP(text) === version);
}

function labelsOf(server: Server, { cloud, extraLabels }: Snapshot): Record<string, string> {
  const labels: Record<string, string> = { __meta_cloud_cloud: cloud };
  for (const [name, read] of Object.entries(facts)) labels[`__meta_cloud_${name}`] = read(server);
  for (const [index, name] of extraLabels.entries()) {
    labels[`__meta_cloud_label_${name}`] = server.extra[index] ?? '';
  }
  labels['__meta_cloud_private_ip'] = addressOf(server, 'private') ?? '';
  labels['__meta_cloud_public_ip'] = addressOf(server, 'public') ?? '';
  labels['__meta_cloud_ipv6'] = addressOf(server, 'ipv6') ?? '';
  return labels;
}

const chunkLength = 65_536;

/** In pieces and slices: a big cloud is some ten megabytes of text. */
async function* writeGroups(
  groups: Iterable<object | undefined>,
  yieldToEventLoop: YieldToEventLoop,
): AsyncGenerator<Buffer> {
  const slices = createSlices(yieldToEventLoop);
  let text = '[';
  let separator = '';
  for (const group of groups) {
    if (isOver(slices)) await nextSlice(slices);
    if (!group) continue;
    text += separator + JSON.stringify(group);
    separator = ',\n';
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]\n`);
}
