import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Collector } from '../inventory/collector.ts';
import type { Trace } from '../inventory/trace.ts';
import type { Log } from '../log.ts';
import type { MetricsPage } from '../metrics/page.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { isCrossSite } from './cross-site.ts';
import { answerDebug } from './debug.ts';
import { answerClouds, answerServers } from './discovery.ts';
import { createRequestLimit } from './guard.ts';
import { answerLanding } from './landing/landing.ts';
import { answerScrape, askedPart } from './metrics.ts';
import { paths } from './paths.ts';
import { sendText } from './send.ts';

export interface AppInput {
  readonly version: string;
  readonly telemetryPath: string;
  readonly collectors: () => readonly Collector[];
  /** What its collections did, and which labels its configuration adds. */
  readonly about: (collector: Collector) => { trace: Trace; extraLabels: readonly string[] };
  readonly isReady: () => boolean;
  readonly page: MetricsPage;
  readonly self: SelfMetrics;
  readonly log: Log;
  readonly now: () => number;
  /** Scrapes and discoveries that are answered at the same time; 0 for no limit. */
  readonly maxRequests: number;
  /** Stands before every path; absent when the door is open. */
  readonly guard?: RequestHandler;
  /** Absent unless the lifecycle is enabled. */
  readonly reload?: () => Promise<readonly string[]>;
}

type Answer = (request: Request, response: Response) => void | Promise<void>;

export function createApp(input: AppInput): Express {
  const { collectors, about, page, self, log, now } = input;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  if (input.guard) app.use(input.guard);
  app.use([input.telemetryPath, paths.probe, '/sd'], createRequestLimit(input.maxRequests));

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
    const { version, telemetryPath } = input;
    answerLanding(request, response, { version, telemetryPath, views, now: now() });
  });
  answer(input.telemetryPath, 'GET', (request, response) => {
    const part = askedPart(request.query['collect[]']);
    if (part === undefined)
      return sendText(
        response,
        400,
        'collect[] knows one value: exporter, for its own metrics without the clouds',
      );
    return answerScrape(request, response, {
      collectors: part === 'exporter' ? [] : collectors(),
      page,
      self,
    });
  });
  answer(paths.probe, 'GET', async (request, response) => {
    const collector = namedCloud(request, response, collectors());
    if (!collector) return;
    if (request.query['debug'] !== 'true')
      return answerScrape(request, response, { collectors: [collector], page });
    await answerDebug(request, response, { collector, trace: about(collector).trace, page, now });
  });
  answer(paths.servers, 'GET', async (request, response) => {
    const [first, ...others] = collectors();
    const isClear = request.query['cloud'] === undefined && others.length === 0;
    const collector = isClear ? first : namedCloud(request, response, collectors());
    if (!collector) return;
    const { extraLabels } = about(collector);
    await answerServers(request, response, { collector, extraLabels });
  });
  answer(paths.clouds, 'GET', (request, response) =>
    answerClouds(
      request,
      response,
      collectors().map(({ cloud }) => cloud),
    ),
  );
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
    const isAbandoned = response.destroyed || response.headersSent;
    if (isAbandoned) {
      log.debug({ path: request.path }, 'the client left before the answer was written');
      response.destroy();
      return;
    }
    log.error(
      { path: request.path, err: error instanceof Error ? error.stack : String(error) },
      'request failed',
    );
    response.removeHeader('Content-Encoding');
    sendText(response, 500, 'internal error; see the log of the exporter');
  });
  return app;
}

/** The configured cloud that the request names; never an address, so nobody can send our credentials elsewhere. */
export function namedCloud(
  request: Request,
  response: Response,
  collectors: readonly Collector[],
): Collector | undefined {
  const name = request.query['cloud'];
  const found = collectors.find(({ cloud }) => cloud === name);
  if (found) return found;
  const known = collectors.map(({ cloud }) => cloud).join(', ');
  const isMissing = name === undefined || name === '';
  const problem = isMissing ? 'say which cloud, as in ?cloud=NAME' : 'no cloud of that name is configured';
  sendText(response, isMissing ? 400 : 404, `${problem}; known: ${known}`);
  return undefined;
}
