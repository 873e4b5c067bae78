import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import type { WebConfig } from '../config/web/file.ts';
import type { Log } from '../log.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { Refusal, SelfMetrics } from '../metrics/self.ts';
import type { YieldToEventLoop } from '../yield-to-event-loop.ts';
import { answerClouds, answerServers } from './discovery.ts';
import { createGuard } from './guard.ts';
import { createLanding } from './landing.ts';
import { answerDebug, createAnswerScrape } from './metrics.ts';
import { pageHeaders } from './page.ts';
import { paths } from './paths.ts';
import { createSendLong, limitSendLong, ReaderGone, sendText } from './send.ts';

export interface AppInput {
  readonly version: string;
  readonly telemetryPath: string;
  readonly clouds: () => readonly Cloud[];
  readonly isReady: () => boolean;
  readonly page: MetricsPage;
  readonly self: SelfMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly yieldToEventLoop: YieldToEventLoop;
  /** Answers to scrapes and discoveries that are written at the same time; 0 for no limit. */
  readonly maxRequests?: number;
  /** Opens `/sd/servers`, which hands out names and addresses of all servers. */
  readonly enableDiscovery?: boolean;
  /** The runbook of the alerts. */
  readonly runbook: string;
  /** The web configuration in force; absent when everybody is let in. */
  readonly web?: (() => WebConfig | Promise<WebConfig>) | undefined;
  /** Absent unless the lifecycle is enabled. */
  readonly reload?: () => Promise<readonly string[]>;
}

const collectProblem = 'collect[] knows one value: exporter, for its own metrics without the clouds';
const closedProblem =
  'this path hands out names and addresses of all servers; start with --web.enable-discovery to open it';

type Answer = (request: Request, response: Response) => void | Promise<void>;

export function createApp(input: AppInput): Express {
  const { telemetryPath, clouds, page, self, log, clock, web, runbook } = input;
  const collectors = () => clouds().map(({ collector }) => collector);
  // Sockets have their own time, as where they are listened on.
  const sendAlways = createSendLong();
  const send = limitSendLong(sendAlways, input.maxRequests ?? 0, () => self.refused('busy'));
  const sending = { send, yieldToEventLoop: input.yieldToEventLoop };
  const answerScrape = createAnswerScrape({ page, ...sending });
  const writeLanding = createLanding(input);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  if (web) app.use(createGuard({ web, clock, refused }));

  /** A health check that is refused is no scrape. */
  function refused({ path }: Request, reason: Refusal): void {
    const scraped: readonly string[] = [telemetryPath, paths.probe, paths.servers, paths.clouds];
    if (scraped.includes(path)) self.refused(reason);
  }

  /** One path, one method; HEAD comes with GET. */
  function answer(path: string, method: 'GET' | 'POST', respond: Answer): void {
    const route = app.route(path);
    if (method === 'GET') route.get(respond);
    else route.post(respond).put(respond);
    const allowed = method === 'GET' ? 'GET, HEAD' : 'POST, PUT';
    route.all((_request, response) => {
      sendText(response.set('Allow', allowed), 405, `method not allowed; use ${allowed}`);
    });
  }

  answer(paths.landing, 'GET', (request, response) => {
    const views = collectors().map((collector) => collector.view());
    const pieces = writeLanding(views, clock.now());
    // What the web configuration sets stands.
    response.set({ ...pageHeaders, ...response.getHeaders() });
    return sendAlways(request, response, { type: 'text/html; charset=utf-8', pieces });
  });
  answer(paths.runbook, 'GET', (_request, response) => sendText(response, 200, runbook));
  answer(telemetryPath, 'GET', (request, response) => {
    // As in other exporters. Where each cloud is a target of its own, what is left is our state, which none may delay.
    const part = request.query['collect[]'];
    if (part !== undefined && part !== 'exporter') return sendText(response, 400, collectProblem);
    return answerScrape(request, response, { collectors: part === undefined ? collectors() : [], self });
  });
  answer(paths.probe, 'GET', async (request, response) => {
    const cloud = namedCloud(request, response, clouds());
    if (!cloud) return;
    if (request.query['debug'] !== 'true')
      return answerScrape(request, response, { collectors: [cloud.collector] });
    return answerDebug(request, response, { cloud, page, now: clock.now, ...sending });
  });
  answer(paths.servers, 'GET', async (request, response) => {
    if (!input.enableDiscovery) return sendText(response, 404, closedProblem);
    const [first, ...others] = clouds();
    const isClear = request.query['cloud'] === undefined && others.length === 0;
    const cloud = isClear ? first : namedCloud(request, response, clouds());
    if (cloud) await answerServers(request, response, cloud, sending);
  });
  answer(paths.clouds, 'GET', (request, response) => {
    const names = clouds().map(({ config }) => config.name);
    return answerClouds(request, response, { clouds: names, ...sending });
  });
  answer(paths.healthy, 'GET', (_request, response) => {
    sendText(response, 200, 'cloud-platform-exporter is healthy.');
  });
  answer(paths.ready, 'GET', (_request, response) => {
    if (input.isReady()) sendText(response, 200, 'ready');
    else sendText(response, 503, 'shutting down');
  });
  const { reload } = input;
  answer(paths.reload, 'POST', async (request, response) => {
    if (!reload)
      return sendText(response, 403, 'reloading is off; start with --web.enable-lifecycle, or send SIGHUP');
    if (isCrossSite(request)) return sendText(response, 403, 'another site must not reload the exporter');
    const problems = await reload();
    const text = problems.length > 0 ? `the old configuration stays:\n${problems.join('\n')}` : 'reloaded';
    return sendText(response, problems.length > 0 ? 500 : 200, text);
  });

  app.use((_request, response) => {
    sendText(response, 404, 'not found; the landing page at / names what there is');
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { path } = request;
    if (error instanceof ReaderGone)
      return log.debug({ path, err: error.message }, 'the reader left, or took nothing for too long');
    log.error({ path, err: error instanceof Error ? error.stack : String(error) }, 'request failed');
    // An answer that had begun is cut off already.
    if (!response.destroyed) sendText(response, 500, 'internal error; see the log of the exporter');
  });
  return app;
}

/** The configured cloud that the request names; never an address, so nobody can send our credentials elsewhere. */
function namedCloud(request: Request, response: Response, clouds: readonly Cloud[]): Cloud | undefined {
  const name = request.query['cloud'];
  const found = clouds.find(({ config }) => config.name === name);
  if (found) return found;
  const known = clouds.map(({ config }) => config.name).join(', ');
  sendText(response, name ? 404 : 400, `?cloud=NAME has to name a configured cloud; known: ${known}`);
  return undefined;
}

/** Whether a browser sends this on behalf of another site; who is no browser sends no origin. */
function isCrossSite(request: Request): boolean {
  const origin = request.get('origin');
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== request.get('host');
}
