import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

type Manifest = Readonly<
  Record<'dependencies' | 'devDependencies' | 'overrides' | 'scripts', Readonly<Record<string, string>>>
>;

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
}

const manifest = readJson('package.json') as Manifest;
const { packages } = readJson('package-lock.json') as { packages: Record<string, Locked> };
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
