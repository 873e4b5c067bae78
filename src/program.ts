import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { createFileReader } from './config/file-reader.ts';
import { ConfigError, loadConfig, type Config } from './config/load.ts';
import { openWebSource } from './web-source.ts';
import type { Demo } from './demo.ts';
import { startExporter } from './exporter.ts';
import { helpText, parseFlags, type Arguments } from './flags.ts';
import { ListenError } from './http/listen.ts';
import { systemdSockets, type ListenAddress } from './listen-address.ts';
import { createLog } from './log.ts';
import type { Build } from './metrics/self.ts';

/** What ends the program: a mistake of its user, which no restart heals, or a bug, which one may. */
const exitCodes = { done: 0, mistake: 1, bug: 70 } as const;

/** Together less than the ten seconds after which an orchestrator kills. */
const stopMs = 8500;
/** For what hangs in the kernel to end by itself. */
const threadsMs = 1000;

const files = createFileReader();

/** How the program ends, and the signal that asked for it. */
interface End {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

async function run(): Promise<End> {
  const parsed = parseFlags(process.argv.slice(2), hostname());
  if ('problems' in parsed) return complain(parsed.problems);
  const build = await readBuild();
  if (parsed.arguments.command === 'help') return print(helpText());
  if (parsed.arguments.command === 'version')
    return print(`cloud-platform-exporter ${build.version}${build.revision && ` (${build.revision})`}\n`);
  try {
    if (parsed.arguments.command === 'check') return await runCheck(parsed.arguments, build.version);
    return await serve(parsed.arguments, build);
  } catch (error) {
    if (error instanceof ConfigError) return complain(error.problems);
    if (error instanceof ListenError) return complain([error.message]);
    throw error;
  }
}

async function serve(given: Arguments, build: Build): Promise<End> {
  const log = createLog({ level: given.logLevel, format: given.logFormat, output: standardError });
  // Nothing is known to be right after a bug, so the end is left to whoever restarts us.
  process.on('uncaughtException', (error) => {
    log.error({ err: error.stack ?? String(error) }, 'a bug ended the exporter');
    void end({ code: exitCodes.bug });
  });
  // Node itself would print them beside the log.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    log.warn({ warning: name }, message);
  });
  // From the first moment on: a signal that finds nobody listening kills.
  let running: Running | undefined;
  process.on('SIGHUP', () => void running?.exporter.reload());
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const started = start(given, build, log);
  running = await Promise.race([started, signalled.then(() => undefined)]);
  if (running) {
    for (const url of running.exporter.urls) log.info({ version: build.version, url }, 'listening');
    print(running.demo?.welcome(running.exporter.urls[0] ?? '') ?? '');
  }
  const signal = await signalled;
  log.info({ signal }, 'stopping');
  await Promise.race([running?.stop(), delay(stopMs)]);
  return { code: exitCodes.done, signal };
}

type Running = Awaited<ReturnType<typeof start>>;

async function start(given: Arguments, build: Build, log: ReturnType<typeof createLog>) {
  const demo = await demoOf(given);
  const load = () => loadFor(given, demo);
  const webFile = given.webConfigFile;
  const opened = webFile === undefined ? undefined : openWebSource(webFile, { log, files });
  const [config, web] = await bothOrProblems(load(), opened);
  const exporter = await startExporter({
    ...given,
    config,
    loadConfig: load,
    web,
    enableDiscovery: given.enableDiscovery || given.demo,
    listenAddresses: given.systemdSocket ? socketsOfSystemd() : given.listenAddresses,
    build,
    runbook: await readOurs('../dashboards/runbook.md').catch(() => 'It was not installed here.\n'),
    clock: systemClock,
    log,
    lostLines: log.lostLines,
  });
  return {
    exporter,
    demo,
    async stop(): Promise<void> {
      await exporter.stop();
      await demo?.stop();
    },
  };
}

async function demoOf({ demo }: Arguments): Promise<Demo | undefined> {
  return demo ? (await import('./demo.ts')).startDemo() : undefined;
}

async function loadFor(
  { configFiles, isLenient, shard }: Arguments,
  demo: Demo | undefined,
): Promise<Config> {
  if (demo) return loadConfig({ environment: demo.environment, files });
  return loadConfig({ file: configFiles, environment: process.env, isLenient, shard, files });
}

function socketsOfSystemd(): readonly ListenAddress[] {
  const sockets = systemdSockets(process.env, process.pid);
  if (sockets.length > 0) return sockets;
  throw new ConfigError([
    '--web.systemd-socket: systemd handed over no socket; start the .socket unit, or leave the flag out',
  ]);
}

/** The problems of two files at once, so that nobody starts three times to see them all. */
async function bothOrProblems<One, Other>(
  one: Promise<One>,
  other: Other | Promise<Other>,
): Promise<[One, Other]> {
  const settled = await Promise.allSettled([one, other]);
  const errors = settled.flatMap((result) =>
    result.status === 'rejected' ? (result.reason as unknown) : [],
  );
  if (errors.length === 0 || !errors.every((error) => error instanceof ConfigError))
    return Promise.all([one, other]);
  throw new ConfigError(errors.flatMap(({ problems }) => problems));
}

async function runCheck(given: Arguments, version: string): Promise<End> {
  // The report says what went wrong; log lines about the same would only stand in between.
  const level = given.logLevel === 'debug' ? 'debug' : 'error';
  const demo = await demoOf(given);
  const { check } = await import('./check/check.ts');
  const code = await check({
    async loadConfig() {
      const config = await loadFor(given, demo);
      const left = config.rejected.map(({ file, problems }) => `${file} is left out: ${problems.join('; ')}`);
      for (const words of left) tell(`warning: ${words}\n`);
      return config;
    },
    version,
    asJson: given.json,
    clock: systemClock,
    log: createLog({ level, format: given.logFormat, output: standardError }),
    write: print,
    progress: { isWatched: process.stderr.isTTY, write: (text) => void process.stderr.write(text) },
  });
  return { code };
}

async function readBuild(): Promise<Build> {
  const { version } = JSON.parse(await readOurs('../package.json')) as { version: string };
  const revision = await readOurs('revision').catch(() => '');
  return { version, revision: revision.trim(), nodeVersion: process.version };
}

/** A file that is installed beside the program. */
function readOurs(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}

function print(text: string): End {
  process.stdout.write(text);
  return { code: exitCodes.done };
}

function complain(problems: readonly string[]): End {
  tell(`cloud-platform-exporter cannot start:\n${problems.map((line) => `  ${line}\n`).join('')}`);
  return { code: exitCodes.mistake };
}

/** Written at once and whole; throws when nobody reads it or the disk is full. */
const standardError = {
  write(text: string): void {
    const bytes = Buffer.from(text);
    for (let sent = 0; sent < bytes.length;) sent += writeSync(2, bytes, sent);
  },
};

function tell(text: string): void {
  try {
    standardError.write(text);
  } catch {
    // Nobody is there to be told.
  }
}

/**
 * Ends at once, rather than when the loop is empty: a connection kept alive must not hold up the end. `process.exit`
 * would wait for what hangs in the kernel (a resolver, a dead mount), so the signal ends that.
 */
async function end({ code, signal = 'SIGKILL' }: End): Promise<void> {
  if (isInKernel()) await delay(threadsMs);
  if (!isInKernel()) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function isInKernel(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(GetAddrInfoReq|FSReq)/.test(name));
}

const outcome = await run().catch((error: unknown): End => {
  const words = error instanceof Error ? error.stack : String(error);
  tell(`cloud-platform-exporter: a bug ended it\n${words}\n`);
  return { code: exitCodes.bug };
});
await end(outcome);
