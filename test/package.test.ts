import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startProgram } from './support/program.ts';
import { describeWith } from './support/real-parts.ts';
import { run } from './support/run.ts';
import { temporaryFolder } from './support/simulated.ts';

/** What belongs to the project, without anything that was built here before. */
const sources = ['package.json', 'README.md', 'LICENSE', '.npmrc', 'tsconfig.json', 'src', 'dashboards'];

/** Packs a copy, so that no other test sees a build come and go. */
async function pack() {
  const folder = await temporaryFolder();
  for (const name of sources) await cp(name, join(folder, name), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist/left-from-before.js'), '');
  await run('npm', ['pack'], { cwd: folder });
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.tgz'))!;
  const { stdout } = await run('tar', ['-tzf', join(folder, name)]);
  const paths = stdout.trim().split('\n');
  return { tarball: join(folder, name), files: paths.map((path) => path.replace('package/', '')) };
}

describeWith(['npm', 'sh', 'tar'], 'the npm package', () => {
  it('is small, holds the program and what belongs to it, and runs once it is installed as the systemd unit says', async () => {
    const { tarball, files } = await pack();
    expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/main.js']));
    expect(files).toEqual(expect.arrayContaining(['dashboards/fleet.json', 'dashboards/rules/alerts.yml']));
    const expected = [
      /^(package\.json|README\.md|LICENSE)$/,
      /^dist\/[\w/-]+\.js$/,
      /^dist\/revision$/,
      /^dashboards\/(runbook\.md|[\w-]+\.json|rules\/[\w-]+\.yml)$/,
    ];
    expect(files.filter((path) => !expected.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(files).not.toContain('dist/left-from-before.js');
    expect((await stat(tarball)).size).toBeLessThan(275_000);

    const unit = await readFile('deploy/systemd/cloud-platform-exporter.service', 'utf8');
    const [, command = ''] = /^#   (npm install --global \S+)$/m.exec(unit) ?? [];
    const prefix = await temporaryFolder();
    const options = ['--prefix', prefix, '--prefer-offline', '--no-audit'];
    await run('sh', ['-c', `${command} ${options.join(' ')}`], { cwd: dirname(tarball) });
    const installed = join(prefix, 'lib/node_modules/cloud-platform-exporter');
    expect(await readdir(join(installed, 'node_modules'))).not.toContain('typescript');
    const { stdout } = await run(join(prefix, 'bin/cloud-platform-exporter'), ['--version']);
    expect(stdout).toMatch(/^cloud-platform-exporter \d+\.\d+\.\d+/);

    const program = await startProgram(join(installed, 'dist/main.js'), { flags: ['--demo'] });
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    expect(metrics).toContain('cloud_up{cloud="demo"} 1');
    // With no option of Node: by itself it would be 16 MB and more.
    const [, ofYoung] = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(ofYoung)).toBeLessThan(10_000_000);
    expect((await fetch(`${program.url}/sd/servers`)).status).toBe(200);
    expect(await (await fetch(`${program.url}/runbook`)).text()).toContain('\n## CloudDown\n');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});
