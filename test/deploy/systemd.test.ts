import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/environment.ts';
import { parseFlags } from '../../src/flags.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';

const folder = new URL('../../deploy/systemd/', import.meta.url);
const unit = fileURLToPath(new URL('cloud-platform-exporter.service', folder));
const lines = readFileSync(unit, 'utf8').split('\n');

function analyze(words: readonly string[], more: object = {}): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(pathOf('systemd-analyze'), words, {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_COLORS: '0', ...more },
  });
  return { status, text: stdout + stderr };
}

describe('the systemd unit', () => {
  it('hands the password over as a credential and names it nowhere else', () => {
    expect(lines).toContain('LoadCredential=password:/etc/cloud-platform-exporter/password');
    expect(lines).toContain('Environment=OS_PASSWORD_FILE=%d/password NODE_ENV=production');
    const environment = readFileSync(new URL('environment', folder), 'utf8');
    expect(environment).not.toMatch(/PASSWORD|TOKEN|SECRET/);
  });

  it('is started again after a crash, and not after a mistake in the configuration', () => {
    expect(lines).toContain('Restart=on-failure');
    expect(lines).toContain('RestartPreventExitStatus=1');
  });

  it('gives only variables and flags that the exporter knows', () => {
    const known = new Set(['CLOUD_NAME', ...variables.map(([variable]) => variable)]);
    const environment = readFileSync(new URL('environment', folder), 'utf8');
    const given = [...environment.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    const [, flags = ''] =
      /^ExecStart=\/usr\/bin\/env cloud-platform-exporter (.*)$/m.exec(lines.join('\n')) ?? [];
    expect(parseFlags(flags.split(' '))).toHaveProperty('arguments');
  });
});

describeWith(['systemd-analyze'], 'the systemd unit, read by systemd', () => {
  it('is one that systemd understands in every line', () => {
    expect(analyze(['verify', unit])).toEqual({ status: 0, text: '' });
  });

  it('takes the port from systemd, with the socket and its drop-in beside it', async () => {
    const here = await temporaryFolder();
    const parts = join(here, 'cloud-platform-exporter.service.d');
    await mkdir(parts);
    for (const name of ['cloud-platform-exporter.service', 'cloud-platform-exporter.socket'])
      await cp(new URL(name, folder), join(here, name));
    await cp(new URL('socket.conf', folder), join(parts, 'socket.conf'));
    const path = { SYSTEMD_UNIT_PATH: `${here}:` };
    const socket = join(here, 'cloud-platform-exporter.socket');
    expect(analyze(['verify', socket, join(here, 'cloud-platform-exporter.service')], path)).toEqual({
      status: 0,
      text: '',
    });
    const command = readFileSync(new URL('socket.conf', folder), 'utf8').trimEnd().split('\n').at(-1)!;
    const [, flags = ''] = /^ExecStart=\/usr\/bin\/env cloud-platform-exporter (.*)$/.exec(command) ?? [];
    expect(parseFlags(flags.split(' '))).toHaveProperty('arguments.systemdSocket', true);
    const text = readFileSync(socket, 'utf8');
    const port = /^ListenStream=(\d+)$/m.exec(text)?.[1];
    const parsed = parseFlags([]);
    expect(port).toBe('arguments' in parsed && String(parsed.arguments.listenAddresses[0]!.port));
  });

  it('exposes little', () => {
    const { status, text } = analyze(['security', '--offline=yes', '--no-pager', '--threshold=15', unit]);
    const [score] = /Overall exposure level.*/.exec(text) ?? [];
    process.stdout.write(`${score}\n`);
    expect(status, text).toBe(0);
  });
});
