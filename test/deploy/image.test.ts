import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../src/flags.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const chart = 'deploy/helm/cloud-platform-exporter';

interface Instruction {
  readonly word: string;
  readonly text: string;
}

const instructions: readonly Instruction[] = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({
    word: line.split(' ')[0]!,
    text: line.slice(line.indexOf(' ') + 1).replace(/\s+/g, ' '),
  }));

/** The instructions of each stage, by its name; the last one has none. */
const stages = new Map<string, Instruction[]>();
let stage = 'before';
for (const instruction of instructions) {
  if (instruction.word === 'FROM') stage = / AS (\w+)$/.exec(instruction.text)?.[1] ?? 'final';
  stages.set(stage, [...(stages.get(stage) ?? []), instruction]);
}

function texts(stageName: string, word: string): string[] {
  return stages
    .get(stageName)!
    .filter((instruction) => instruction.word === word)
    .map(({ text }) => text);
}

describe('the Dockerfile', () => {
  it('builds in one stage, takes the packages of production from another, and runs in a third', () => {
    expect([...stages.keys()]).toEqual(['tools', 'build', 'dependencies', 'final']);
    expect(texts('dependencies', 'RUN').join()).toContain('npm ci --omit=dev');
    expect(texts('final', 'RUN')).toEqual([]);
    expect(texts('final', 'COPY').filter((text) => text.includes('node_modules'))).toEqual([
      '--from=dependencies /app/node_modules ./node_modules',
    ]);
  });

  it('builds with the Node that it runs on, on the machine that builds, whatever architecture the image is for', () => {
    const [base] = texts('final', 'FROM');
    expect(base).toMatch(/^docker\.io\/library\/node:\d+-bookworm-slim$/);
    expect(texts('tools', 'FROM')).toEqual([`--platform=$BUILDPLATFORM ${base} AS tools`]);
    expect(texts('build', 'FROM')).toEqual(['tools AS build']);
    expect(texts('dependencies', 'FROM')).toEqual(['tools AS dependencies']);
    expect(read('.nvmrc')).toBe(`${/:(\d+)-/.exec(base!)![1]}\n`);
  });

  it('lets in only what it copies, and what it copies is there', () => {
    const [nothing, ...exceptions] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = instructions
      .filter(({ word, text }) => word === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect(nothing).toBe('*');
    expect(exceptions.toSorted()).toEqual([...new Set(copied)].map((path) => `!${path}`).toSorted());
    for (const path of copied) expect(existsSync(new URL(path, root)), path).toBe(true);
  });

  it('runs as a user by number, in production, on the port that is the standard', () => {
    expect(texts('final', 'USER')).toEqual(['1000:1000']);
    expect(texts('final', 'ENV')).toEqual([
      'NODE_ENV=production',
      'NODE_OPTIONS="--max-semi-space-size=2"',
      'UV_THREADPOOL_SIZE=8',
    ]);
    const parsed = parseFlags([]);
    const port = 'arguments' in parsed ? parsed.arguments.listenAddresses[0]!.port : undefined;
    expect(texts('final', 'EXPOSE')).toEqual([String(port)]);
  });

  it('starts the exporter without a shell, so that signals reach it', () => {
    expect(JSON.parse(texts('final', 'ENTRYPOINT')[0]!)).toEqual(['node', '/app/dist/main.js']);
    expect(texts('final', 'CMD')).toEqual([]);
  });

  it('has a health check that tells a living exporter from a dead one', async () => {
    const [, command = ''] = / CMD (\[.*\])$/.exec(texts('final', 'HEALTHCHECK')[0]!) ?? [];
    const [program, flag, code] = JSON.parse(command) as [string, string, string];
    expect([program, flag]).toEqual(['node', '-e']);
    const exporter = await runExporter({ lab: settingsFor(await simulate()) });
    expect(code).toContain('http://127.0.0.1:10700/');
    const check = async () => {
      const child = spawn(process.execPath, ['-e', code.replace('http://127.0.0.1:10700', exporter.url)]);
      return (await once(child, 'close'))[0] as number;
    };
    expect(await check()).toBe(0);
    await exporter.stop();
    expect(await check()).toBe(1);
  });
});

describe('the commands for the image', () => {
  const commands = (page: string) => read(page).match(/^docker (?:build|run|push) .*$/gm) ?? [];
  const nameIn = (command: string) => /cloud-platform-exporter(?::\w+)?/.exec(command)![0];

  it('build in the folder of the project, and run or push what they built', () => {
    for (const page of ['README.md', 'deploy/kubernetes/README.md', `${chart}/README.md`]) {
      const [build, next, ...more] = commands(page);
      expect(build, page).toMatch(/^docker build -t \S+ \.$/);
      expect(nameIn(next!)).toBe(nameIn(build!));
      expect(more).toEqual([]);
    }
  });

  it('run it as it is meant to run, with a file of variables that a page has copied', () => {
    const [, run = ''] = commands('README.md');
    expect(run).toContain(' --read-only -p 10700:10700 --env-file deploy/.env ');
    expect(read('deploy/README.md')).toContain('cp deploy/env.example deploy/.env');
  });
});

describe('the scripts of the deployments', () => {
  const folders = ['deploy/image/', 'deploy/release/'];
  const scripts = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name) => folder + name),
  );

  it.each(scripts)('%s is one that bash can read', (path) => {
    const { status, stderr } = spawnSync('bash', ['-n', fileURLToPath(new URL(path, root))], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(read(path)).toMatch(/^#!\/(usr\/bin\/env bash|bin\/sh)\n/);
    execFileSync('test', ['-x', fileURLToPath(new URL(path, root))]);
  });
});
