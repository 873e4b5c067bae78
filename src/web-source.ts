import { systemClock, type Clock } from './clock.ts';
import { createFileReader, type FileReader } from './config/file-reader.ts';
import { ConfigError } from './config/load.ts';
import { readWebFile, type WebConfig } from './config/web/file.ts';
import type { Log } from './log.ts';

export type WebSource = Awaited<ReturnType<typeof openWebSource>>;

const everyMs = 10_000;

/**
 * The web configuration as it is now: a renewed certificate or a changed password needs no restart. Throws a ConfigError
 * if the file is bad at the start; later a bad file leaves the last good one in force.
 */
export async function openWebSource(
  file: string,
  input: { log: Pick<Log, 'info' | 'error'>; clock?: Clock; files?: FileReader },
) {
  const { log, clock = systemClock, files = createFileReader() } = input;
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

  /** Reads the files now, and not only at the next of the regular times. */
  function refresh(): Promise<void> {
    last = last.then(look);
    return last;
  }

  async function lookRegularly(): Promise<void> {
    for (;;) {
      await clock.wait(everyMs, closed.signal);
      await refresh();
    }
  }

  lookRegularly().catch((error: unknown) => {
    if (!closed.signal.aborted) throw error;
  });
  return { current: () => inForce.config, refresh, close: () => closed.abort() };
}

/** What waits for the next start: a socket cannot change it, or it keeps out less, as a file half written would. */
function restartProblems(file: string, before: WebConfig, after: WebConfig): string[] {
  const [old, next] = [before.tls, after.tls];
  if (Boolean(old) !== Boolean(next))
    return [`${file}: tls_server_config: TLS is switched on or off by a restart only`];
  const inTls = (name: string) => `tls_server_config.${name}`;
  const guards: Record<string, readonly [was: unknown, is: unknown]> = {
    basic_auth_users: [before.users.size, after.users.size],
    rate_limit: [before.rateLimit, after.rateLimit],
    [inTls('client_allowed_sans')]: [old?.allowedSans, next?.allowedSans],
    [inTls('cipher_suites')]: [old?.context.ciphers, next?.context.ciphers],
    [inTls('curve_preferences')]: [old?.context.ecdhCurve, next?.context.ecdhCurve],
  };
  for (const [name, value] of Object.entries(before.headers))
    guards[`http_server_config.headers.${name}`] = [value, after.headers[name]];
  const lost = Object.keys(guards).filter((name) => guards[name]![0] && !guards[name]![1]);
  const isLower = old?.context.minVersion === 'TLSv1.3' && next?.context.minVersion !== 'TLSv1.3';
  return [
    ...(old?.clientAuth === next?.clientAuth ? [] : [`${inTls('client_auth_type')}: is changed`]),
    ...(isLower ? [`${inTls('min_version')}: is lowered`] : []),
    ...lost.map((name) => `${name}: is taken away`),
  ].map((words) => `${file}: ${words} by a restart only`);
}
