import type { Request } from 'express';

/** Whether a browser sends this on behalf of another site; who is no browser sends neither header. */
export function isCrossSite(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = request.get('origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== request.get('host')?.toLowerCase();
}
