#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { systemClock } from './clock.ts';
import { ConfigError, loadConfig } from './config/load.ts';
import { startDemo } from './demo.ts';
import { startExporter } from './exporter.ts';
import { helpText, parseFlags, type Arguments } from './flags.ts';
import { ListenError } from './http/listen.ts';
import { createLog } from './log.ts';

async function run(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2));
  if ('problems' in parsed) return complain(parsed.problems);
  const version = await readVersion();
  if (parsed.arguments.command === 'help') return print(helpText());
  if (parsed.arguments.command === 'version') return print(`cloud-platform-exporter ${version}\n`);
  try {
    return await serve(parsed.arguments, version);
  } catch (error) {
    if (error instanceof ConfigError) return complain(error.problems);
    if (error instanceof ListenError) return complain([error.message]);
    throw error;
  }
}

async function serve(given: Arguments, version: string): Promise<number> {
  const log = createLog({ level: given.logLevel, format: given.logFormat, output: process.stderr });
  const demo = given.demo ? await startDemo() : undefined;
  const load = () => loadConfig(demo?.source ?? { file: given.configFile, environment: process.env });
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: given.listenAddresses,
    telemetryPath: given.telemetryPath,
    enableLifecycle: given.enableLifecycle,
    build: { version, nodeVersion: process.version },
    clock: systemClock,
    log,
  });
  for (const url of exporter.urls) log.info({ version, url }, 'listening');
  if (demo) print(demo.welcome(exporter.urls[0] ?? ''));
  process.on('SIGHUP', () => void exporter.reload());
  const signal = await new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  log.info({ signal }, 'stopping');
  await exporter.stop();
  await demo?.stop();
  return 0;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
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
