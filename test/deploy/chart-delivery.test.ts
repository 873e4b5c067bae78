import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { chartFolder, everyObject, helm, helms, template } from './rendered-chart.ts';

const name = basename(chartFolder);
const entries = readdirSync(chartFolder, { recursive: true, withFileTypes: true });
const filesIn = (folder: string) => readdirSync(join(chartFolder, 'files', folder)).toSorted();

/** What may be left of a file: no text, the text of a link, the beginning, or something else of its kind. */
const damages = ['', '../../../../../dashboards/fleet.json', '{"panels": [', '{"panels": [1], "groups": []}'];

describeWith([...helms, 'tar'], 'the chart, however it is fetched,', () => {
  it('has no links, and every board and rule of the project', () => {
    expect(entries.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
    const boards = readdirSync('dashboards').filter((file) => file.endsWith('.json'));
    expect(filesIn('dashboards')).toEqual(boards.toSorted());
    expect(filesIn('rules')).toEqual(readdirSync('dashboards/rules').toSorted());
  });

  it('is the same as a folder alone, as a tarball of git and as a package, for Helm 3 and 4', async () => {
    const folder = await temporaryFolder();
    const alone = join(folder, name);
    await cp(chartFolder, alone, { recursive: true, verbatimSymlinks: true });
    const tarball = join(folder, 'archive.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', 'deploy/helm', name]);
    const text = template(everyObject);
    expect(text).toContain('cloud-platform-exporter-growth.json: |-');
    expect(template(everyObject, { version: 'helm-3' })).toBe(text);
    for (const version of helms) {
      const destination = join(folder, version);
      await mkdir(destination);
      helm(version, ['package', chartFolder, '--destination', destination]);
      const [packed = ''] = readdirSync(destination);
      for (const chart of [alone, tarball, join(destination, packed)])
        expect(template(everyObject, { chart, version }) === text, `${chart} with ${version}`).toBe(true);
      const words = ['lint', '--strict', chartFolder, '--values', '-'];
      expect(helm(version, words, everyObject)).not.toMatch(/INFO|WARN|ERROR/);
    }
  });

  it('fails with a sentence where a board or a rule file is missing or is something else', async () => {
    const chart = join(await temporaryFolder(), name);
    await cp(chartFolder, chart, { recursive: true });
    const paths = ['rules', 'dashboards'].flatMap((folder) =>
      filesIn(folder).map((file) => `${folder}/${file}`),
    );
    for (const [place, path] of paths.entries()) {
      const file = join(chart, 'files', path);
      const damage = damages[place % damages.length]!;
      await writeFile(file, damage);
      const words = `files/${path} of this chart is missing, empty or damaged`;
      // Whether it is asked for or not.
      const version = helms[place % 2]!;
      expect(() => template({ demo: true }, { chart, version }), `${path}: ${damage}`).toThrow(words);
      await cp(join(chartFolder, 'files', path), file);
    }
  });
});
