import { describe, expect, it } from 'vitest';
import { asksTooMuch, privilegeOf, privilegeHint } from '../../src/transport/privilege.ts';
import { captured } from '../support/capture.ts';

const detailsOf = (name: string) => (JSON.parse(captured(name).body) as { details: string }).details;

describe('the reason of a refusal, in the words of the platform,', () => {
  it.each<[unknown, string[] | undefined]>([
    ['(require:user,allow:user,query:user)', ['user', 'user', 'user']],
    [
      '(require:system,allow:none,query:system) then (require:system,allow:domain,query:system)',
      ['system', 'domain', 'system'],
    ],
    ['not enough privilege (require:domain,allow:none:resource:project)', undefined],
    ['(require:system,allow:gAAAAtoken,query:system)', undefined],
    ['(allow:none)', undefined],
    [403, undefined],
    [null, undefined],
    [detailsOf('servers-alice-scope_system'), ['system', 'project', 'system']],
    [detailsOf('servers-invalid-token'), ['project', 'none', 'project']],
  ])('is read from %j', (details, expected) => {
    const privilege = privilegeOf(details);
    expect(privilege && [privilege.require, privilege.allow, privilege.query]).toEqual(expected);
  });
});

it.each([
  ['system', 'none', 'system', /^$/],
  ['system', 'domain', 'system', /^the account may see scope=domain at most; set query to scope=domain$/],
  ['domain', 'project', 'domain', /^the account may see scope=project at most; set query to scope=project$/],
  ['system', 'domain', 'project', /^the account .* at most, and this needs scope=system; give it a role/],
  ['system', 'domain', 'domain', /^the account .* at most, and this needs scope=system; give it a role/],
  ['domain', 'domain', 'domain', /^$/],
  ['project', 'system', 'project', /^$/],
] as const)('what needs %s, is allowed %s and asks for %s says %s', (require, allow, query, words) => {
  const privilege = { require, allow, query };
  expect(privilegeHint(privilege)).toMatch(words);
  expect(asksTooMuch(privilege)).toBe(privilegeHint(privilege) !== '');
});
