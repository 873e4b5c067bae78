import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

it('the Dockerfile has a health check that tells a living exporter from a dead one', async () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8').replace(/\\\n/g, ' ');
  const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, , code] = JSON.parse(command) as [string, string, string];
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

it('the README builds the image in the folder of the project, and runs what it built', () => {
  const [build = '', next = ''] =
    readFileSync('README.md', 'utf8').match(/^docker (?:build|run) .*$/gm) ?? [];
  const [, name = ''] = /^docker build -t (\S+) \.$/.exec(build) ?? [];
  expect(next.split(' ').at(-1)).toBe(name);
});
