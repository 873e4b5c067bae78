import { systemClock, type Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { createFileReader, type FileReader } from '../file-reader.ts';
import { ConfigError } from '../load.ts';
import { readWebFile, type WebConfig } from './file.ts';

/** The web configuration as it is now: a renewed certificate or a changed password needs no restart. */
export interface WebSource {
  current(): WebConfig;
  /** Reads the files now, and not only at the next of the regular times. */
  refresh(): Promise<void>;
  /** Reads them no more. */
  close(): void;
}

const everyMs = 10_000;

/** Throws a ConfigError if the file is bad at the start; later a bad file leaves the last good one in force. */
export async function openWebSource(
  file: string,
  {
    log,
    clock = systemClock,
    files = createFileReader(),
  }: { log: Pick<Log, 'info' | 'error'>; clock?: Clock; files?: FileReader },
): Promise<WebSource> {
  const first = await readWebFile(file, files);
  if ('problems' in first) throw new ConfigError(first.problems);
  let inForce = first;
  let told = '';
  let last: Promise<void> = Promise.resolve();
  const closed = new AbortController();

  async function look(): Promise<void> {
    const found = await readWebFile(file, files);
    const problems =
      'problems' in found ? found.problems : restartProblems(file, inForce.config, found.config);
    const refusal = problems.join('\n');
    if (refusal !== '' && refusal !== told)
      log.error({ problems }, 'web configuration not changed, the old one stays');
    told = refusal;
    if ('problems' in found || refusal !== '' || found.content === inForce.content) return;
    inForce = found;
    log.info({ file }, 'web configuration changed');
  }

  function refresh(): Promise<void> {
    last = last.then(look);
    return last;
  }

  async function lookRegularly(): Promise<void> {
    for (;;) {
      const isOver = await clock.wait(everyMs, closed.signal).then(
        () => false,
        () => true,
      );
      if (isOver) return;
      await refresh();
    }
  }

  void lookRegularly();
  return { current: () => inForce.config, refresh, close: () => closed.abort() };
}

/** What waits for the next start: a socket cannot change it, or it keeps out less, as a file half written would. */
function restartProblems(file: string, before: WebConfig, after: WebConfig): string[] {
  const [old, next] = [before.tls, after.tls];
  if ((old === undefined) !== (next === undefined))
    return [`${file}: tls_server_config: TLS is switched on or off by a restart only`];
  const lost = [
    before.users.size > 0 && after.users.size === 0 && 'basic_auth_users',
    before.rateLimit && !after.rateLimit && 'rate_limit',
    old?.allowedSans && !next?.allowedSans && 'tls_server_config.client_allowed_sans',
    old?.context.ciphers && !next?.context.ciphers && 'tls_server_config.cipher_suites',
    old?.context.ecdhCurve && !next?.context.ecdhCurve && 'tls_server_config.curve_preferences',
    ...Object.keys(before.headers).map(
      (name) => after.headers[name] === undefined && `http_server_config.headers.${name}`,
    ),
  ].filter((name) => typeof name === 'string');
  const isLower = old?.context.minVersion === 'TLSv1.3' && next?.context.minVersion !== 'TLSv1.3';
  return [
    ...(old?.clientAuth === next?.clientAuth
      ? []
      : [`${file}: tls_server_config.client_auth_type: is changed by a restart only`]),
    ...(isLower ? [`${file}: tls_server_config.min_version: is lowered by a restart only`] : []),
    ...lost.map((name) => `${file}: ${name}: is taken away by a restart only`),
  ];
}
