import type { Token } from '../identity/issue.ts';

/** The role that the recipe makes: nobody else has it. A policy for a role that others have opens the cloud to all of them. */
const role = 'exporter';

/**
 * What an administrator runs so that the exporter may list these, with the platform's own client: an account of its own,
 * as in docs/account.md. Each command needs the one before it, so that nothing is bound to a role that was there already.
 */
export function recipe(resources: readonly string[], token: Token | undefined): string {
  const isOurs = hasOwnRole(token);
  const policy = resources.includes('servers') ? 'exporter-list' : `exporter-list-${resources.join('-')}`;
  const rules = resources.map((name) => `    ${name}:\\n      list: allow\\n`).join('');
  const makePolicy = [
    `printf 'policy:\\n  compute:\\n${rules}' > ${policy}.yaml`,
    `climc policy-create --enabled --scope system --desc 'lists only, for the exporter' ${policy} ${policy}.yaml`,
  ];
  const bind = `climc policy-bind-role --role-id ${role} --project-id system ${policy}`;
  const makeAccount = [
    `climc role-create --desc 'exporter' ${role}`,
    bind,
    'climc user-create --enabled --password "$PASSWORD" --no-web-console exporter',
    `climc project-add-user system exporter ${role}`,
  ];
  const [who, commands, then] = isOurs
    ? ['Let an administrator add to the role of docs/account.md', [bind], 'run this check again']
    : [
        'Let an administrator make an account of its own, as in docs/account.md',
        makeAccount,
        'log in with it to the project system (OS_USERNAME=exporter, OS_PROJECT_NAME=system, OS_PROJECT_DOMAIN_NAME=Default)',
      ];
  return [
    `${who}:`,
    ...[...makePolicy, ...commands].join(' &&\n').split('\n'),
    `A new policy takes effect after half a minute; then ${then}.`,
  ].join('\n');
}

/** An account that the recipe made, and that lacks a right. */
export function hasOwnRole(token: Token | undefined): boolean {
  return token?.roles.join() === role && token.project === 'system';
}
