import { allows, type Rights } from '../accounts.ts';
import { Refusal, type Release } from '../answer.ts';
import type { IssuedToken, Tokens } from '../identity/tokens.ts';

/** What a row belongs to, and so the least scope in which such rows are listed; what is anybody's needs none. */
export type Owner = 'project' | 'domain' | 'anyone';

export interface Asked {
  readonly resource: string;
  readonly owner: Owner;
  /** The word after `scope=`. */
  readonly word: string | null;
  readonly release: Release;
}

/** Misspelt words mean the least, silently. `max`, the widest that is allowed, is known from 3.11 on. */
export function scopeFor({ owner, word, release }: Asked, rights: Rights): Rights {
  const least = owner === 'domain' ? 'domain' : 'project';
  if (word === 'system' || word === 'domain') return word;
  const isWidest = word === 'max' && release !== '3.10';
  return isWidest && allows(rights, least) ? rights : least;
}

/** The token of a request for a list, and the scope that it lists. */
export function admit(
  asked: Asked,
  tokens: Tokens,
  sent: string | undefined,
): IssuedToken & { readonly listed: Rights } {
  const { state, token } = tokens.inspect(sent);
  if (state !== 'live' || token === undefined) {
    const { status, className, message } = notEnough(asked, scopeFor(asked, 'none'), 'none');
    // The token is quoted back, as the real platform was seen to do: whoever logs an error's text leaks it.
    throw new Refusal(status, className, sent === undefined ? message : `${message} [token "${sent}"]`);
  }
  const listed = scopeFor(asked, token.rights);
  if (asked.owner !== 'anyone' && !allows(token.rights, listed)) throw notEnough(asked, listed, token.rights);
  return { ...token, listed };
}

/** In the platform's own words: an error within the text of an error. */
function notEnough({ resource, release }: Asked, listed: Rights, allowed: Rights): Refusal {
  const fields = ['compute', resource, 'list', listed, allowed, listed];
  const verb = release === '4.0' ? '%s' : '%!s(MISSING)';
  const pattern = (words: readonly string[]) =>
    `not enough privilege to do ${words.slice(0, 3).join(':')} ` +
    `(require:${words[3]},allow:${words[4]},query:${words[5]})`;
  const data = { fields, id: pattern(fields.map(() => verb)) };
  const inner = { class: 'ForbiddenError', code: 403, data, details: pattern(fields) };
  return new Refusal(
    403,
    'ForbiddenError',
    `ListItems: listItemQueryFiltersRaw: ${JSON.stringify({ error: inner })}`,
  );
}

/** One record by its id. */
export function refuseRecord(owner: Owner): Refusal {
  const words = `not enough privilege (require:domain,allow:none:resource:${owner})`;
  return new Refusal(403, 'ForbiddenError', `${words} [tags:[deny] domain:[] project:[] object:[]]`);
}
