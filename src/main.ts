#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { check } from './check/check.ts';
import { systemClock } from './clock.ts';
import { ConfigError, loadConfig } from './config/load.ts';
import { openWebSource, type WebSource } from './config/web/source.ts';
import { startDemo } from './demo.ts';
import { startExporter, type Exporter } from './exporter.ts';
import { helpText, parseFlags, type Arguments } from './flags.ts';
import { ListenError } from './http/listen.ts';
import { createLog, type Log } from './log.ts';
import type { Build } from './metrics/self.ts';

// V8 would let garbage grow to four times what is in use. Twice keeps a large fleet in small memory, for little CPU.
setFlagsFromString('--heap-growing-percent=100');

async function run(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2));
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

async function serve(given: Arguments, build: Build): Promise<number> {
  const log = createLog({ level: given.logLevel, format: given.logFormat, output: process.stderr });
  // Nothing is known to be right after a bug, so the end is left to whoever restarts us.
  process.on('uncaughtException', (error) => {
    log.error({ err: error.stack ?? String(error) }, 'a bug ended the exporter');
    process.exit(1);
  });
  // From the first moment on: a signal that finds nobody listening kills.
  let exporter: Exporter | undefined;
  process.on('SIGHUP', () => void exporter?.reload());
  const signalled = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const demo = given.demo ? await startDemo() : undefined;
  const load = () => loadConfig(demo?.source ?? { file: given.configFile, environment: process.env });
  const [config, web] = await bothOrProblems(load(), openWeb(given.webConfigFile, log));
  exporter = await startExporter({
    config,
    loadConfig: load,
    web,
    listenAddresses: given.listenAddresses,
    telemetryPath: given.telemetryPath,
    enableLifecycle: given.enableLifecycle,
    maxRequests: given.maxRequests,
    build,
    clock: systemClock,
    log,
  });
  for (const url of exporter.urls) log.info({ version: build.version, url }, 'listening');
  if (demo) print(demo.welcome(exporter.urls[0] ?? ''));
  log.info({ signal: await signalled }, 'stopping');
  await exporter.stop();
  await demo?.stop();
  return 0;
}

async function openWeb(file: string | undefined, log: Log): Promise<WebSource | undefined> {
  if (file === undefined) return undefined;
  return openWebSource(file, {
    changed: () => log.info({ file }, 'web configuration changed'),
    refused: (problems) => log.error({ problems }, 'web configuration not changed, the old one stays'),
  });
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

async function runCheck(given: Arguments, version: string): Promise<number> {
  // The report says what went wrong; log lines about the same would only stand in between.
  const level = given.logLevel === 'debug' ? 'debug' : 'error';
  const demo = given.demo ? await startDemo() : undefined;
  return check({
    loadConfig: () => loadConfig(demo?.source ?? { file: given.configFile, environment: process.env }),
    version,
    asJson: given.json,
    clock: systemClock,
    log: createLog({ level, format: given.logFormat, output: process.stderr }),
    write: print,
    progress: { isWatched: process.stderr.isTTY, write: (text) => void process.stderr.write(text) },
  });
}

async function readBuild(): Promise<Build> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const revision = await readFile(new URL('revision', import.meta.url), 'utf8').catch(() => '');
  return { version, revision: revision.trim(), nodeVersion: process.version };
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(problems: readonly string[]): number {
  process.stderr.write(
    `cloud-platform-exporter cannot start:\n${problems.map((line) => `  ${line}\n`).join('')}`,
  );
  return 1;
}

// Exiting at once, rather than when the loop is empty: a connection kept alive must not hold up the end.
process.exit(await run());
