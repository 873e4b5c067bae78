import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const dockerfile = read('Dockerfile').replace(/\\\n/g, ' ');
const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

function texts(word: string, where = dockerfile): string[] {
  return [...where.matchAll(new RegExp(`^${word} +(.*)$`, 'gm'))].map(([, text = '']) => text);
}

describe('the Dockerfile', () => {
  it('builds with the Node that it runs on, which is that of the developers', () => {
    const images = texts('FROM').flatMap((text) => text.match(/docker\.io\S+/) ?? []);
    expect(new Set(images)).toEqual(
      new Set([`docker.io/library/node:${read('.nvmrc').trim()}-bookworm-slim`]),
    );
  });

  it('lets in only what it copies, and what it copies is there', () => {
    const [nothing, ...exceptions] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = texts('COPY')
      .filter((text) => !text.startsWith('--from'))
      .flatMap((text) => text.split(' ').slice(0, -1));
    expect(nothing).toBe('*');
    expect(exceptions.toSorted()).toEqual([...new Set(copied)].map((path) => `!${path}`).toSorted());
    for (const path of copied) expect(existsSync(new URL(path, root)), path).toBe(true);
  });

  it('runs without packages of development, as a user by number, and without a shell that keeps signals', () => {
    expect(texts('COPY', final).filter((text) => text.includes('node_modules'))).toEqual([
      '--from=dependencies /app/node_modules ./node_modules',
    ]);
    expect(texts('USER', final)).toEqual(['1000:1000']);
    expect(JSON.parse(texts('ENTRYPOINT', final)[0]!)).toEqual(['node', '/app/dist/main.js']);
  });

  it('has a health check that tells a living exporter from a dead one', async () => {
    const [, command = ''] = / CMD (\[.*\])$/.exec(texts('HEALTHCHECK', final)[0]!) ?? [];
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
});

it('the README builds the image in the folder of the project, and runs what it built', () => {
  const [build = '', next = ''] = read('README.md').match(/^docker (?:build|run) .*$/gm) ?? [];
  const [, name = ''] = /^docker build -t (\S+) \.$/.exec(build) ?? [];
  expect(next.split(' ').at(-1)).toBe(name);
});
