import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { temporaryFolder } from '../support/simulated.ts';

const check = async (...words: string[]) => (await run(pathOf('promtool'), ['check', ...words])).stdout;

describeWith(['promtool'], 'the Prometheus configuration', () => {
  const names = ['prometheus.yml', 'many-clouds.yml', 'kubernetes.yml'];
  it.each(names)('%s is accepted, with the rules where it expects them', async (name) => {
    const folder = await temporaryFolder();
    const text = await readFile(`deploy/prometheus/${name}`, 'utf8');
    // Debian builds Prometheus without this discovery.
    const discovery = /kubernetes_sd_configs:\n +- role: endpointslice\n/;
    expect(discovery.test(text)).toBe(name === 'kubernetes.yml');
    const known = text.replace(discovery, "static_configs: [{ targets: ['exporter:10700'] }]\n");
    await writeFile(join(folder, name), known);
    await cp('dashboards/rules', join(folder, 'rules'), { recursive: true });
    expect(await check('config', '--lint-fatal', join(folder, name))).toContain('3 rule files found');
  });

  it('of the agents is accepted, and so are the rules about them', async () => {
    expect(await check('config', '--agent', 'deploy/scale/agent.yml')).toContain('SUCCESS');
    expect(await check('rules', '--lint-fatal', 'deploy/scale/agents.rules.yml')).toContain('2 rules found');
  });
});
