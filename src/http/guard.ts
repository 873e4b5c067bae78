import type { RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import type { WebConfig } from '../config/web/file.ts';
import { createPasswordCheck, parseBasic } from './password-check.ts';
import { createRateLimit } from './rate-limit.ts';
import { sendText } from './send.ts';

/** Stands before every path, health checks included, as exporter-toolkit does: headers, rate limit, basic auth. */
export function createGuard(input: {
  /** How the door is guarded at the moment. */
  web: () => WebConfig | Promise<WebConfig>;
  clock: Clock;
}): RequestHandler {
  const judge = createPasswordCheck();
  const mayPass = createRateLimit(input.clock);
  return async (request, response, next) => {
    const { headers, rateLimit, users } = await input.web();
    response.set(headers);
    if (rateLimit && !mayPass(rateLimit)) return sendText(response, 429, 'too many requests');
    if (users.size === 0) return next();
    const login = parseBasic(request.get('authorization'));
    const verdict = login ? await judge(users, login) : 'wrong';
    if (verdict === 'right') return next();
    if (verdict === 'busy') return sendText(response.set('Retry-After', '1'), 503, 'too many logins at once');
    response.set('WWW-Authenticate', 'Basic realm="cloud-platform-exporter", charset="UTF-8"');
    return sendText(response, 401, 'a user name and password are needed');
  };
}

/** Lets so many requests be answered at a time, and turns away the rest at once; 0 lets all in. */
export function createRequestLimit(limit: number): RequestHandler {
  let underWay = 0;
  return (_request, response, next) => {
    if (limit > 0 && underWay >= limit)
      return sendText(response, 503, `more than ${limit} scrapes at once; see --web.max-requests`);
    underWay += 1;
    response.once('close', () => (underWay -= 1));
    return next();
  };
}
