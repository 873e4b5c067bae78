import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCheck } from './check/run-check.ts';
import { listed } from './simulator/journal.ts';
import { exportCloud } from './support/exported-cloud.ts';
import { settingsFor } from './support/settings.ts';

/** The lists of these hold the keys of other clouds. */
const withKeys = /\bcloud(accounts|providers)\b/;
const grants = /\bcloud(accounts|providers)\b['"]?\s*:|\b(compute|policy)['"]?:(\s|\\n)*(allow|\{|['"]?\*)/;

it('no list is asked for that holds keys of other clouds, and no text would allow it', async () => {
  const { cloud, exporter, scrape } = await exportCloud({ servers: 20, settings: { per_server: true } });
  for (const path of ['/sd/servers?cloud=one', '/probe?cloud=one&debug=true', '/'])
    await (await fetch(exporter.url + path)).text();
  await scrape();
  const granted = await runCheck({ one: settingsFor(cloud) });
  for (const operation of listed) cloud.faults.set({ operation, fault: { kind: 'status', code: 403 } });
  const refused = await runCheck({ one: settingsFor(cloud) });
  const asked = new Set(cloud.journal.entries.map(({ path }) => path.split('/')[2]!));
  expect([...asked].toSorted()).toEqual([...listed, 'servers', 'v3'].toSorted());
  expect(refused.text).toContain('list: allow');

  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  const texts = files.filter((path) => /^(?!test\/|tools\/).*\.(md|ya?ml|tpl|txt|ts|sh)$/.test(path));
  const allowing = texts.filter((path) => grants.test(readFileSync(path, 'utf8')));
  expect([allowing, grants.test(granted.text + refused.text)]).toEqual([[], false]);
  const naming = texts.filter((path) => withKeys.test(readFileSync(path, 'utf8')));
  expect(naming).toEqual(['docs/account.md', 'docs/security.md']);
  for (const planted of [
    '    cloudaccounts:\n      list: allow',
    'compute: allow',
    "compute:\n    '*': allow",
  ])
    expect(grants.test(planted), planted).toBe(true);
});
