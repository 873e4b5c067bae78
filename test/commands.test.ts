import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { exporterAccount, listAccount } from './simulator/accounts.ts';
import { builtProgram, environmentFor, startProgram } from './support/program.ts';
import { projectFiles } from './support/project-files.ts';
import { describeWith } from './support/real-parts.ts';
import { run } from './support/run.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

/** The commands of all pages, one by one, without comments and line breaks. */
function documentedCommands(): string[] {
  const text = projectFiles(/\.md$/)
    .map((page) => readFileSync(page, 'utf8'))
    .join('\n');
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n(.*?)^```/gms)];
  const lines = blocks.flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split(/\n|&&/));
  return lines.map((line) => line.replace(/ +#.*/, '').trim());
}

const main = await builtProgram();

/** A shell in a folder with the program, clouds.yml and the password in a file. */
async function openShell() {
  const cloud = await simulate({ servers: 30 });
  const folder = await temporaryFolder();
  const passwordFile = join(folder, 'password');
  const production = settingsFor(cloud, { password: undefined, password_file: passwordFile });
  await writeFile(passwordFile, exporterAccount.password);
  await writeFile(join(folder, 'clouds.yml'), stringify({ clouds: { prod: production } }));
  await symlink(dirname(main), join(folder, 'dist'), 'junction');
  const environment = { ...environmentFor(cloud), PATH: process.env['PATH'] };
  const printed = async (command: string) =>
    (await run('bash', ['-euc', command], { cwd: folder, env: environment })).stdout;
  return { cloud, folder, printed };
}

/** README: with the variables of a shell, and an account that may only list. */
const variables = [
  'export OS_AUTH_URL=https://cloud.example.com:30500/v3',
  'export OS_USERNAME=exporter OS_USER_DOMAIN_NAME=Default OS_PASSWORD_FILE=/run/secrets/password',
  'export OS_PROJECT_NAME=system OS_PROJECT_DOMAIN_NAME=Default',
];
const serve = 'node dist/main.js --config.file=clouds.yml';
const debug = "curl 'http://localhost:10700/probe?cloud=prod&debug=true'";
const checks = [
  'node dist/main.js check --config.file=clouds.yml',
  "node dist/main.js check --config.file=clouds.yml --json | jq -e '.ok'",
  `node dist/main.js check --json | jq -e 'all(.clouds[]; .scope.in_use == "system")'`,
];
const secret = 'kubectl --namespace monitoring create secret generic cloud-production --from-file=password';

it('the commands that are run here are those of the documentation', () => {
  const runHere = [...variables, 'npm start', serve, debug, ...checks, secret];
  expect(documentedCommands()).toEqual(expect.arrayContaining(runHere));
});

describeWith(['bash', 'curl', 'jq'], 'the documentation', () => {
  it('starts the exporter with the variables of a shell', async () => {
    const { cloud, folder, printed } = await openShell();
    const exports = variables
      .join('\n')
      .replace(/https:\S+/, cloud.authUrl)
      .replace('=exporter', `=${listAccount.name}`)
      .replace('/run/secrets', folder);
    await writeFile(join(folder, 'password'), listAccount.password);
    const set = await printed(`unset OS_PASSWORD\n${exports}\nenv`);
    const lines = set.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2));
    const { url } = await startProgram(main, { environment: Object.fromEntries(lines) });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'cloud_list_received{cloud="default",resource="servers"} 30',
    );
  });

  it.each(checks)('checks: %s', async (command) => {
    const { printed } = await openShell();
    const expected = command.includes('jq') ? /^true$/m : /^prod: ok$/m;
    expect(await printed(`set -o pipefail; ${command}`)).toMatch(expected);
  });
});

describeWith(['bash', 'kubectl'], 'the documentation of the chart', () => {
  it(`gives kubectl what it understands: ${secret}`, async () => {
    const { printed } = await openShell();
    expect(await printed(`${secret} --dry-run=client --output=name`)).toMatch(/^secret\/cloud-/);
  });
});
