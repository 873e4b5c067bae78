import { allows, type Rights } from './accounts.ts';
import { Refusal } from './answer.ts';
import type { Release } from './release.ts';

export interface Privilege {
  readonly resource: 'servers' | 'hosts';
  readonly required: Rights;
  readonly allowed: Rights;
  /** Misspelt words mean `project`, silently. */
  readonly asked: string | null;
  readonly release: Release;
}

/** The scope that a list is asked for. `max`, the widest that is allowed, is known from 3.11 on. */
export function readScope(word: string | null, rights: Rights, release: Release): Rights {
  if (word === 'system' || word === 'domain') return word;
  return word === 'max' && release !== '3.10' ? rights : 'project';
}

export function requirePrivilege(privilege: Privilege): void {
  if (!allows(privilege.allowed, privilege.required)) throw notEnoughPrivilege(privilege);
}

/** In the platform's own words: an error within the text of an error. */
export function notEnoughPrivilege({ resource, required, allowed, asked, release }: Privilege): Refusal {
  const query = asked === 'system' || asked === 'domain' ? asked : 'project';
  const fields = ['compute', resource, 'list', required, allowed, query];
  const verb = release === '4.0' ? '%s' : '%!s(MISSING)';
  const pattern = (words: readonly string[]) =>
    `not enough privilege to do ${words.slice(0, 3).join(':')} ` +
    `(require:${words[3]},allow:${words[4]},query:${words[5]})`;
  const data = { fields, id: pattern(fields.map(() => verb)) };
  const inner = { class: 'ForbiddenError', code: 403, data, details: pattern(fields) };
  const details = `ListItems: listItemQueryFiltersRaw: ${JSON.stringify({ error: inner })}`;
  return new Refusal(403, 'ForbiddenError', details);
}
