import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/environment.ts';
import { parseFlags } from '../../src/flags.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';

const folder = 'deploy/systemd';
const name = 'cloud-platform-exporter';
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** What the program of a unit is started with: $EXPORTER_FLAGS is what the file of variables suggests. */
function flagsOf(file: string) {
  const [, flags = ''] = /^ExecStart=\/usr\/bin\/env cloud-platform-exporter (.*)$/m.exec(read(file)) ?? [];
  const [, suggested = ''] = /^# EXPORTER_FLAGS=(.*)$/m.exec(read('environment')) ?? [];
  expect(flags).toMatch(/(^| )\$EXPORTER_FLAGS$/);
  return parseFlags(flags.replace('$EXPORTER_FLAGS', suggested).split(' '));
}

function analyze(words: readonly string[], more: object = {}): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(pathOf('systemd-analyze'), words, {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_COLORS: '0', ...more },
  });
  return { status, text: stdout + stderr };
}

describe('the systemd unit', () => {
  it('gives only variables and flags that the exporter knows, and no secret', () => {
    const given = [...read('environment').matchAll(/^(\w+)=(.*)/gm)].map(([, variable = '']) => variable);
    const known = new Set(['CLOUD_NAME', ...variables.map(([variable]) => variable)]);
    expect(given.filter((variable) => !known.has(variable))).toEqual([]);
    expect(given.join()).not.toMatch(/(PASSWORD|TOKEN|SECRET_KEY)(?!_FILE)/);
    const configFiles = ['/etc/cloud-platform-exporter/clouds.yml'];
    expect(flagsOf(`${name}.service`)).toMatchObject({ arguments: { configFiles } });
    expect(flagsOf('socket.conf')).toMatchObject({ arguments: { configFiles, systemdSocket: true } });
  });

  it('asks for nothing newer than systemd 247, and for as much memory as 100,000 servers need', () => {
    const lines = read(`${name}.service`).replace(/^#.*$/gm, '');
    expect(lines).not.toMatch(/%d|LoadCredential|RestrictFileSystems/);
    const [, megabytes] = /^MemoryMax=(\d+)M$/m.exec(lines) ?? [];
    expect(Number(megabytes)).toBeGreaterThan(330);
  });
});

describeWith(['systemd-analyze'], 'the systemd unit, read by systemd', () => {
  it('is understood in every line, with the socket and its drop-in beside it, and exposes little', async () => {
    const here = await temporaryFolder();
    await mkdir(join(here, `${name}.service.d`));
    for (const file of [`${name}.service`, `${name}.socket`]) await cp(join(folder, file), join(here, file));
    const units = [`${name}.socket`, `${name}.service`].map((file) => join(here, file));
    const path = { SYSTEMD_UNIT_PATH: `${here}:` };
    expect(analyze(['verify', ...units], path)).toEqual({ status: 0, text: '' });
    await cp(join(folder, 'socket.conf'), join(here, `${name}.service.d/socket.conf`));
    expect(analyze(['verify', ...units], path)).toEqual({ status: 0, text: '' });
    const words = ['security', '--offline=yes', '--no-pager', '--threshold=15', units[1]!];
    const { status, text } = analyze(words);
    expect(status, text).toBe(0);
  });
});
