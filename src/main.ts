#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { compileLess } from './compile-less.ts';
import type { FileReader } from './config/file-reader.ts';
import type { ConfigInput } from './config/load.ts';
import type { WebSource } from './config/web/source.ts';
import type { Demo } from './demo.ts';
import type { Exporter } from './exporter.ts';
import type { Arguments } from './flags.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import type { ListenAddress } from './http/listen.ts';
import type { Log } from './log.ts';
import type { Build } from './metrics/self.ts';
import type { Slots } from './transport/slots.ts';

// V8 heeds this only if it is told before its first collection of garbage, and loading all of this brings that about.
limitHeapGrowth();
compileLess(process.versions.v8);
const { systemClock } = await import('./clock.ts');
const { createFileReader } = await import('./config/file-reader.ts');
const { ConfigError, loadConfig } = await import('./config/load.ts');
const { createWebLog } = await import('./config/web/log.ts');
const { openWebSource } = await import('./config/web/source.ts');
const { startExporter } = await import('./exporter.ts');
const { helpText, parseFlags } = await import('./flags.ts');
const { ListenError, systemdSockets } = await import('./http/listen.ts');
const { createLog } = await import('./log.ts');
const { createThreads } = await import('./transport/slots.ts');

/** What ends the program: a mistake of its user, which no restart heals, or a bug, which one may. */
const exitCodes = { done: 0, mistake: 1, bug: 70 } as const;

/** Together less than the ten seconds after which an orchestrator kills. */
const stopMs = 8500;
const threadsMs = 1000;

/** How the program ends, and the signal that asked for it. */
interface End {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

/** The threads in which something may hang, and the files that are read in them. */
interface Means {
  readonly threads: Slots;
  readonly files: FileReader;
}

async function run(means: Means): Promise<End> {
  const parsed = parseFlags(process.argv.slice(2), hostname());
  if ('problems' in parsed) return complain(parsed.problems);
  const build = await readBuild();
  if (parsed.arguments.command === 'help') return print(helpText());
  if (parsed.arguments.command === 'version')
    return print(`cloud-platform-exporter ${build.version}${build.revision && ` (${build.revision})`}\n`);
  try {
    if (parsed.arguments.command === 'check') return await runCheck(parsed.arguments, build.version, means);
    return await serve(parsed.arguments, build, means);
  } catch (error) {
    if (error instanceof ConfigError) return complain(error.problems);
    if (error instanceof ListenError) return complain([error.message]);
    throw error;
  }
}

async function serve(given: Arguments, build: Build, means: Means): Promise<End> {
  const log = createLog({ level: given.logLevel, format: given.logFormat, output: standardError });
  // Nothing is known to be right after a bug, so the end is left to whoever restarts us.
  process.on('uncaughtException', (error) => {
    log.error({ err: error.stack ?? String(error) }, 'a bug ended the exporter');
    void end({ code: exitCodes.bug }, means);
  });
  // From the first moment on: a signal that finds nobody listening kills.
  let running: Running | undefined;
  process.on('SIGHUP', () => void running?.exporter.reload());
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const started = start(given, build, { log, ...means });
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

interface Running {
  readonly exporter: Exporter;
  readonly demo: Demo | undefined;
  stop(): Promise<void>;
}

async function start(
  given: Arguments,
  build: Build,
  { log, files, threads }: { log: Log & { lostLines(): number } } & Means,
): Promise<Running> {
  const demo = await demoOf(given);
  const load = () => loadConfig({ ...sourceOf(given, demo), files });
  const [config, web] = await bothOrProblems(load(), openWeb(given.webConfigFile, log, files));
  const exporter = await startExporter({
    ...given,
    enableDiscovery: given.enableDiscovery || given.demo,
    config,
    loadConfig: load,
    web,
    listenAddresses: given.systemdSocket ? socketsOfSystemd() : given.listenAddresses,
    build,
    runbook: await readIfThere('../dashboards/runbook.md'),
    clock: systemClock,
    log,
    lostLines: log.lostLines,
    threads,
  });
  return {
    exporter,
    demo,
    async stop() {
      await exporter.stop();
      await demo?.stop();
    },
  };
}

async function demoOf({ demo }: Arguments): Promise<Demo | undefined> {
  return demo ? (await import('./demo.ts')).startDemo() : undefined;
}

function sourceOf({ configFiles, isLenient, shard }: Arguments, demo: Demo | undefined): ConfigInput {
  if (demo) return { ...demo.source, shard };
  return { file: configFiles, environment: process.env, isLenient, shard };
}

function socketsOfSystemd(): readonly ListenAddress[] {
  const sockets = systemdSockets(process.env, process.pid);
  if (sockets.length > 0) return sockets;
  throw new ConfigError([
    '--web.systemd-socket: systemd handed over no socket; start the .socket unit, or leave the flag out',
  ]);
}

async function openWeb(
  file: string | undefined,
  log: Log,
  files: FileReader,
): Promise<WebSource | undefined> {
  if (file === undefined) return undefined;
  return openWebSource(file, createWebLog(file, log), { files });
}

/** The problems of two files at once, so that nobody starts three times to see them all. */
async function bothOrProblems<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  const settled = await Promise.allSettled([one, other]);
  const errors = settled.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  if (errors.length === 0 || !errors.every((error) => error instanceof ConfigError))
    return Promise.all([one, other]);
  throw new ConfigError(errors.flatMap(({ problems }) => problems));
}

async function runCheck(given: Arguments, version: string, { files, threads }: Means): Promise<End> {
  // The report says what went wrong; log lines about the same would only stand in between.
  const level = given.logLevel === 'debug' ? 'debug' : 'error';
  const demo = await demoOf(given);
  const { check } = await import('./check/check.ts');
  const code = await check({
    async loadConfig() {
      const config = await loadConfig({ ...sourceOf(given, demo), files });
      const left = config.rejected.map(({ file, problems }) => `${file} is left out: ${problems.join('; ')}`);
      for (const words of [...config.warnings, ...left]) tell(`warning: ${words}\n`);
      return config;
    },
    version,
    asJson: given.json,
    clock: systemClock,
    threads,
    log: createLog({ level, format: given.logFormat, output: standardError }),
    write: print,
    progress: { isWatched: process.stderr.isTTY, write: (text) => void process.stderr.write(text) },
  });
  return { code };
}

async function readBuild(): Promise<Build> {
  const { version } = JSON.parse((await readIfThere('../package.json'))!) as { version: string };
  const revision = await readIfThere('revision');
  return { version, revision: revision?.trim() ?? '', nodeVersion: process.version };
}

const readIfThere = (path: string) => readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined);

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
 * Ends at once, rather than when the loop is empty: a connection kept alive must not hold up the end. A thread that
 * hangs in the kernel (a resolver, a dead mount) would, since `process.exit` waits for it; then the process is replaced
 * by one that ends, or ended by the signal where Node cannot do that.
 */
async function end({ code, signal = 'SIGKILL' }: End, { threads }: Means): Promise<void> {
  const hangs = () => threads.isUsed() || process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
  for (let waited = 0; hangs() && waited < threadsMs; waited += 50) await delay(50);
  if (!hangs()) process.exit(code);
  const { execve } = process as { execve?: (file: string, words: readonly string[], env: object) => void };
  execve?.call(process, process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

const threads = createThreads();
const means: Means = { threads, files: createFileReader({ threads }) };
const outcome = await run(means).catch((error: unknown): End => {
  const words = error instanceof Error ? error.stack : String(error);
  tell(`cloud-platform-exporter: a bug ended it\n${words}\n`);
  return { code: exitCodes.bug };
});
await end(outcome, means);
