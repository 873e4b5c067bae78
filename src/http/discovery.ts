import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { CloudView, Collector } from '../inventory/collector.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { states } from '../platform/state.ts';
import { patienceOf } from './metrics.ts';
import { acceptsGzip } from './negotiate.ts';
import { addressKinds, filterNames, targetsOf, type TargetGroup, type TargetOptions } from './targets.ts';

export type Suggest = (word: string, known: readonly string[]) => string | undefined;

/** Scrapes keep the snapshot fresh; discovery asks the platform itself only where nobody scrapes. */
const acceptAgeMs = 60_000;

/** The servers of one cloud as targets. While nothing is known it answers an error: Prometheus then keeps what it has. */
export async function answerServers(
  request: Request,
  response: Response,
  scope: { collector: Collector; extraLabels: readonly string[]; suggest: Suggest },
): Promise<void> {
  const options = readOptions(parametersOf(request), scope);
  if ('problem' in options) {
    response.status(400).type('text').send(`${options.problem}\n`);
    return;
  }
  // Prometheus waits for discovery as long as its refresh interval.
  const patienceMs = patienceOf(request.get('x-prometheus-refresh-interval-seconds'));
  const view = await scope.collector.answer({ patienceMs, acceptAgeMs, withServers: true });
  const { snapshot } = view;
  if (snapshot?.servers) await sendGroups(request, response, targetsOf(snapshot, options));
  else
    response
      .status(503)
      .type('text')
      .send(`${whyUnknown(view, snapshot)}\n`);
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
  if (!host) {
    response.status(400).type('text').send('the request has no Host header\n');
    return;
  }
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
  { extraLabels, suggest }: { extraLabels: readonly string[]; suggest: Suggest },
): TargetOptions | { problem: string } {
  const filters = new Map<string, ReadonlySet<string>>();
  const known = [...settingNames, ...filterNames, ...extraLabels];
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (!known.includes(name)) return { problem: unknownWord('parameter', name, known, suggest) };
    if (!settingNames.includes(name)) filters.set(name, new Set(values));
    else if (values.length > 1) return { problem: `${name} may be given once` };
  }
  const stateNames: readonly string[] = states;
  const oddState = parameters.getAll('state').find((state) => !stateNames.includes(state));
  if (oddState !== undefined) return { problem: unknownWord('state', oddState, stateNames, suggest) };
  const wanted = parameters.get('address') ?? 'private';
  const address = addressKinds.find((kind) => kind === wanted);
  if (!address) return { problem: unknownWord('address', wanted, addressKinds, suggest) };
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

function unknownWord(what: string, word: string, known: readonly string[], suggest: Suggest): string {
  const nearest = suggest(word, known);
  return `unknown ${what} ${word}; ${nearest ? `did you mean ${nearest}? ` : ''}known: ${known.join(', ')}`;
}

async function sendGroups(
  request: Request,
  response: Response,
  groups: Iterable<TargetGroup>,
): Promise<void> {
  const isZipped = acceptsGzip(request.get('accept-encoding'));
  response.status(200).set({ 'Content-Type': 'application/json; charset=utf-8', Vary: 'Accept-Encoding' });
  if (isZipped) response.set('Content-Encoding', 'gzip');
  const body = Readable.from(writeGroups(groups), { objectMode: false });
  if (isZipped) await pipeline(body, createGzip({ level: 1 }), response);
  else await pipeline(body, response);
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
