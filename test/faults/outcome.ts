import type { FailureReason } from '../../src/transport/failure.ts';

/** Where in a collection a fault strikes. */
export const places = ['login', 'first', 'middle'] as const;
export type Place = (typeof places)[number];

/** How a collection ends that meets the fault at every try; `fine` if nobody notices. */
export type Outcome =
  | 'fine'
  | {
      readonly reason: FailureReason;
      /** Requests that met the fault. With more than one, a fault that strikes once is not noticed. */
      readonly tries: number;
      /** A refused login is not repeated for a while, so the cloud is back only after the pause. */
      readonly pause?: true;
    };

/** What the platform does, as a sentence without its subject, and how a collection ends that meets it. */
export interface Row {
  readonly what: string;
  readonly login: Outcome | undefined;
  readonly first: Outcome | undefined;
  readonly middle: Outcome | undefined;
}

export const once = (reason: FailureReason): Outcome => ({ reason, tries: 1 });
export const thrice = (reason: FailureReason): Outcome => ({ reason, tries: 3 });
export const refused = (reason: FailureReason): Outcome => ({ reason, tries: 1, pause: true });
export const everywhere = (outcome: Outcome) => ({ login: outcome, first: outcome, middle: outcome });
export const onPages = (outcome: Outcome) => ({ first: outcome, middle: outcome });
export const atLogin = (outcome: Outcome) => ({ login: outcome, first: undefined, middle: undefined });

/** A refused token is replaced by a new login and the page asked for once more. */
export const afterNewLogin = (reason: FailureReason): Outcome => ({ reason, tries: 2 });

/** A certificate is looked at when a connection is made, not in the middle of a list. */
export const whenConnecting = (outcome: Outcome) => ({ login: outcome, first: outcome, middle: undefined });
