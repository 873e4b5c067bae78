import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { settingsFor } from '../../test/support/settings.ts';
import { compiled, type Start } from './program.ts';
import type { CloudAddress } from './simulated-platform.ts';

/** What a contestant is asked to do. */
export interface Task {
  readonly cloud: CloudAddress;
  readonly perServer: boolean;
  readonly pageSize: number;
  readonly concurrency: number;
  /** As by default if not said. */
  readonly listHosts?: boolean;
  /** Of this exporter only: so many clouds, all of them this one. */
  readonly clouds?: number;
  /** Of this exporter only. */
  readonly settings?: object;
  /** Of the others only: more parameters of the list. */
  readonly query?: string;
}

export const names = {
  ours: 'this exporter',
  floor: 'floor: download, decode, JSON.parse',
  naive: 'naive: axios, zod, prom-client',
  go: 'Go: encoding/json, client_golang',
  goFast: 'Go: json-iterator, client_golang',
} as const;
export type ContestantId = keyof typeof names;

export interface Contestant {
  readonly id: ContestantId;
  start(task: Task): Start;
}

/** Every contestant that can run here; `missing` says which cannot, and why. */
export function prepareContestants(folder: string): { contestants: Contestant[]; missing: string[] } {
  mkdirSync(folder, { recursive: true });
  const ours = prepareOurs(folder);
  const node = (id: ContestantId, file: string): Contestant => ({
    id,
    start: (task) => ({
      command: process.execPath,
      arguments: [compiled(file)],
      environment: peerEnvironment(task),
    }),
  });
  const always = [ours, node('floor', 'peers/floor.js'), node('naive', 'peers/naive.js')];
  try {
    return { contestants: [...always, buildGo(folder, 'go'), buildGo(folder, 'goFast')], missing: [] };
  } catch (error) {
    const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { contestants: always, missing: [`the Go peers could not be built: ${words}`] };
  }
}

/** The program as a user runs it: variables for one cloud, and a file where a setting has no variable. */
function prepareOurs(folder: string): Contestant {
  const main = compiled('../../src/main.js');
  // The program reads its version from the package that it is installed in.
  copyFileSync('package.json', compiled('../../package.json'));
  return {
    id: 'ours',
    start(task) {
      const { perServer, pageSize, concurrency, listHosts = true, clouds = 1 } = task;
      const file = join(folder, `clouds-${perServer}-${pageSize}-${concurrency}-${listHosts}-${clouds}.yml`);
      const ofEach = Array.from({ length: clouds }, (_, index) => [`cloud-${index + 1}`, settings(task)]);
      writeFileSync(file, stringify({ clouds: Object.fromEntries(ofEach) as object }));
      return {
        command: process.execPath,
        arguments: [main, '--web.listen-address=127.0.0.1:0', `--config.file=${file}`],
        environment: imageEnvironment('.'),
      };
    },
  };
}

/** As the image of the version in this folder runs it. */
export function imageEnvironment(root: string): Record<string, string> {
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const settings = image.matchAll(/^ENV (\w+)="?([^"\n]*)"?$/gm);
  return Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value]));
}

/** Of all projects, with the recycle bin. */
const everything = 'scope=system&pending_delete=all';

function settings({ cloud, perServer, pageSize, concurrency, listHosts = true, ...task }: Task): object {
  const more = { per_server: perServer, page_size: pageSize, concurrency, list_hosts: listHosts };
  return settingsFor(cloud, { query: `with_meta=true&${everything}`, ...more, ...task.settings });
}

function peerEnvironment({
  cloud,
  perServer,
  pageSize,
  concurrency,
  query = `&${everything}`,
}: Task): Record<string, string> {
  return {
    BASE_URL: cloud.baseUrl,
    TOKEN: cloud.token,
    PAGE_SIZE: String(pageSize),
    CONCURRENCY: String(concurrency),
    PER_SERVER: String(perServer),
    QUERY: query,
  };
}

/** With the libraries of Debian's packages, which live in a workspace of the old kind. */
function buildGo(folder: string, id: 'go' | 'goFast'): Contestant {
  const output = join(folder, id);
  const tags = id === 'goFast' ? ['-tags', 'jsoniter'] : [];
  execFileSync('go', ['build', ...tags, '-o', output, '.'], {
    cwd: join('tools', 'bench', 'peers', 'go'),
    env: {
      GOPATH: '/usr/share/gocode',
      ...process.env,
      GO111MODULE: 'off',
      GOCACHE: join(folder, 'go-cache'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return {
    id,
    start: (task) => ({ command: output, arguments: [], environment: peerEnvironment(task) }),
  };
}
