import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/simulated.ts';
import { placesOf } from '../../tools/automation/home.ts';
import { everyJob, jobsOf, workflows } from '../../tools/automation/workflow-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = 'example-org/clouds';
const place = placesOf(home).find(({ file }) => file === 'package.json')!;
const manifest = readFileSync(join(root, 'package.json'), 'utf8').replace(place.pattern, place.written);
const { version } = JSON.parse(manifest) as { version: string };
const job = (file: string, id: string) => everyJob.find((one) => one.file === file && one.id === id)!;

/** A folder with what the scripts of a release read. */
async function folderWith(changelog: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'package.json'), manifest);
  await writeFile(join(folder, 'CHANGELOG.md'), changelog);
  const script = (name: string, ...words: string[]) =>
    execFileSync('sh', [join(root, 'deploy/release', name), ...words], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  return { script };
}

const changelog = `# Changelog

## ${version} (2026-11-15)

- [FEATURE] New.

## ${version}0 (2026-11-01)

- [FEATURE] Of a version that begins alike.
`;

describe('the notes of a release', () => {
  it('are what the changelog says about this version, and nothing else', async () => {
    const { script } = await folderWith(changelog);
    expect(script('notes.sh', version)).toBe('- [FEATURE] New.\n');
  });

  it('are demanded', async () => {
    const { script } = await folderWith(`## Unreleased\n\n- [FEATURE] New.\n`);
    expect(() => script('notes.sh', version)).toThrow(`nothing under the heading "## ${version}"`);
  });
});

describe('a tag', () => {
  it('is good if it is the version and the project is at home', async () => {
    const { script } = await folderWith(changelog);
    expect(script('check-tag.sh', `v${version}`, home)).toBe('');
  });

  it('is refused if it is another version, if the home is not set, or if nothing is new', async () => {
    const { script } = await folderWith(changelog);
    expect(() => script('check-tag.sh', 'v99.0.0', home)).toThrow(`package.json says ${version}`);
    expect(() => script('check-tag.sh', `v${version}`, 'some/fork')).toThrow(
      'npm run setup-home -- some/fork',
    );
    const { script: without } = await folderWith('# Changelog\n');
    expect(() => without('check-tag.sh', `v${version}`, home)).toThrow('nothing under the heading');
  });
});

describe('the release of a tag', () => {
  const release = workflows.get('release.yml')!;

  it('begins with a tag, is tested before anything is published, and announced after all of it', () => {
    expect(release.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    const needs = Object.fromEntries(jobsOf(release).map(({ id, needs: others }) => [id, others]));
    expect(needs).toEqual({
      build: undefined,
      npm: 'build',
      image: 'build',
      chart: 'image',
      announce: ['npm', 'image', 'chart'],
    });
    expect(job('release.yml', 'build').steps.map((step) => step.run)).toContain('npm test');
  });

  it('goes to npm with provenance and without a token', () => {
    const { steps, permissions } = job('release.yml', 'npm');
    expect(permissions).toEqual({ 'id-token': 'write' });
    expect(steps.at(-1)?.run).toMatch(/^npm publish .*--provenance/);
    expect(release.text).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|registry-url/);
  });

  it('has an image for both architectures with bill of materials and provenance, signed like the chart and the checksums', () => {
    const build = job('release.yml', 'image').steps.find(({ uses }) =>
      uses?.startsWith('docker/build-push-action@'),
    );
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
    });
    expect(build?.with?.['labels']).toContain(
      'image.source=${{ github.server_url }}/${{ github.repository }}',
    );
    for (const id of ['image', 'chart', 'announce'])
      expect(
        job('release.yml', id)
          .steps.map((step) => step.run)
          .join('\n'),
      ).toMatch(/cosign sign(-blob)? --yes/);
  });
});
