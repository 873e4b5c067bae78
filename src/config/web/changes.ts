import type { WebConfig } from './file.ts';

/** What must not change while it runs: the socket cannot, or a file half written would open the door. */
export function restartProblems(file: string, before: WebConfig, after: WebConfig): string[] {
  if ((before.tls === undefined) !== (after.tls === undefined))
    return [`${file}: tls_server_config: TLS is switched on or off by a restart only`];
  if (before.tls?.clientAuth !== after.tls?.clientAuth)
    return [`${file}: tls_server_config.client_auth_type: is changed by a restart only`];
  if (before.users.size > 0 && after.users.size === 0)
    return [`${file}: basic_auth_users: the last user is removed by a restart only`];
  return [];
}

/** In which ways the new configuration keeps out less than the one before. */
export function lostRestrictions(before: WebConfig, after: WebConfig): string[] {
  const [old, next] = [before.tls, after.tls];
  const lost: string[] = [];
  if (old?.allowedSans && !next?.allowedSans) lost.push('client_allowed_sans is gone');
  if (old?.context.minVersion === 'TLSv1.3' && next?.context.minVersion !== 'TLSv1.3')
    lost.push('min_version is lower');
  if (old?.context.ciphers && !next?.context.ciphers) lost.push('cipher_suites is gone');
  if (old?.context.ecdhCurve && !next?.context.ecdhCurve) lost.push('curve_preferences is gone');
  if (before.rateLimit && !after.rateLimit) lost.push('rate_limit is gone');
  for (const name of Object.keys(before.headers)) {
    if (after.headers[name] === undefined) lost.push(`the header ${name} is gone`);
  }
  return lost;
}
