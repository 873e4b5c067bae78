import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { suggest } from '../config/suggest.ts';
import type { CloudView, Collector } from '../inventory/collector.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { states } from '../platform/state.ts';
import { patienceOf } from './metrics.ts';
import { sendPieces, sendText } from './send.ts';
import { addressKinds, filterNames, targetsOf, type TargetGroup, type TargetOptions } from './targets.ts';

/** Scrapes keep the snapshot fresh; discovery asks the platform itself only where nobody scrapes. */
const acceptAgeMs = 60_000;

/** The servers of one cloud as targets. While nothing is known it answers an error: Prometheus then keeps what it has. */
export async function answerServers(
  request: Request,
  response: Response,
  scope: { collector: Collector; extraLabels: readonly string[] },
): Promise<void> {
  const options = readOptions(parametersOf(request), scope.extraLabels);
  if ('problem' in options) return sendText(response, 400, options.problem);
  // Prometheus waits for discovery as long as its refresh interval.
  const patienceMs = patienceOf(request.get('x-prometheus-refresh-interval-seconds'));
  const view = await scope.collector.answer({ patienceMs, acceptAgeMs, withServers: true });
  const { snapshot } = view;
  if (snapshot?.servers) await sendGroups(request, response, targetsOf(snapshot, options));
  else sendText(response, 503, whyUnknown(view, snapshot));
}

function whyUnknown({ cloud, failure }: CloudView, snapshot: Snapshot | undefined): string {
  const what = snapshot ? 'the single servers' : 'the servers';
  const why = failure
    ? `the latest collection failed: ${failure.reason}`
    : 'the first collection is not done';
  return `${what} of ${cloud} are not known (${why}); see /probe?cloud=${encodeURIComponent(cloud)}&debug=true`;
}

/** One target for each configured cloud, complete but for the job: path, parameter and instance come along. */
export async function answerClouds(
  request: Request,
  response: Response,
  clouds: readonly string[],
): Promise<void> {
  const host = request.get('host');
  if (!host) return sendText(response, 400, 'the request has no Host header');
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
  await sendGroups(request, response, groups);
}

function parametersOf(request: Request): URLSearchParams {
  return new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
}

const settingNames: readonly string[] = ['cloud', 'address', 'network', 'port'];

function readOptions(
  parameters: URLSearchParams,
  extraLabels: readonly string[],
): TargetOptions | { problem: string } {
  const filters = new Map<string, ReadonlySet<string>>();
  const known = [...settingNames, ...filterNames, ...extraLabels];
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (!known.includes(name)) return { problem: unknownWord('parameter', name, known) };
    if (!settingNames.includes(name)) filters.set(name, new Set(values));
    else if (values.length > 1) return { problem: `${name} may be given once` };
  }
  const oddState = parameters.getAll('state').find((state) => !isState(state));
  if (oddState !== undefined) return { problem: unknownWord('state', oddState, states) };
  const wanted = parameters.get('address') ?? 'private';
  const address = addressKinds.find((kind) => kind === wanted);
  if (!address) return { problem: unknownWord('address', wanted, addressKinds) };
  const network = parameters.get('network') ?? undefined;
  if (network !== undefined && address === 'public')
    return {
      problem: 'network goes with address=private or address=ipv6: a public address is of no network',
    };
  const port = parameters.get('port') ?? '9100';
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    return { problem: `port must be a number from 1 to 65535, not ${port}` };
  return { address, network, port: Number(port), filters };
}

function isState(word: string): boolean {
  return states.some((state) => state === word);
}

function unknownWord(what: string, word: string, known: readonly string[]): string {
  const nearest = suggest(word, known);
  return `unknown ${what} ${word}; ${nearest ? `did you mean ${nearest}? ` : ''}known: ${known.join(', ')}`;
}

async function sendGroups(
  request: Request,
  response: Response,
  groups: Iterable<TargetGroup>,
): Promise<void> {
  await sendPieces(request, response, {
    type: 'application/json; charset=utf-8',
    vary: 'Accept-Encoding',
    pieces: writeGroups(groups),
  });
}

const chunkLength = 65_536;

/** In pieces, with a turn of the event loop between them: a big cloud is some ten megabytes of text. */
async function* writeGroups(groups: Iterable<TargetGroup>): AsyncGenerator<Buffer> {
  let text = '[';
  let separator = '';
  for (const group of groups) {
    text += separator + JSON.stringify(group);
    separator = ',\n';
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
    await nextTurn();
  }
  yield Buffer.from(`${text}]\n`);
}
