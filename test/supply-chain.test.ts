import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Locked = Partial<Record<'resolved' | 'integrity', string>> &
  Partial<Record<'hasInstallScript' | 'dev' | 'devOptional' | 'link', boolean>>;

function readJson<Key extends string, Value>(name: string) {
  return JSON.parse(readFileSync(name, 'utf8')) as Record<Key, Record<string, Value>>;
}

type Section = 'dependencies' | 'devDependencies' | 'overrides' | 'scripts';
const manifest = readJson<Section, string>('package.json');
const { packages } = readJson<'packages', Locked>('package-lock.json');
const installed = Object.entries(packages).filter(([path]) => path !== '');
const shipped = installed.filter(([, { dev, devOptional }]) => !dev && !devOptional);

describe('the packages that the exporter is built on', () => {
  it('are pinned exactly, those for development too', () => {
    const { dependencies, devDependencies, overrides } = manifest;
    const wanted = Object.entries({ ...dependencies, ...devDependencies, ...overrides });
    expect(wanted.length).toBeGreaterThan(8);
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('have a checksum each, and no address of a registry', () => {
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(installed.filter(([, { resolved, link }]) => resolved !== undefined || link)).toEqual([]);
  });

  it('run nothing when they are installed, nor do we', () => {
    expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
    const hook = /^(pre|post)?(install|prepare)$/;
    expect(Object.keys(manifest.scripts).filter((name) => hook.test(name))).toEqual([]);
  });
});
