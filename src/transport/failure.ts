import { failureAdvice, type FailureReason } from './advice.ts';
import type { Privilege } from './privilege.ts';
import type { Operation, Resource } from './resources.ts';

interface FailureContext {
  readonly operation: Operation;
  readonly requestId?: string | undefined;
  readonly privilege?: Privilege | undefined;
  /** Where that of the reason would mislead. */
  readonly cure?: string | undefined;
  readonly cause?: unknown;
}

/** The one error of this program: `reason` for machines, `message` and `cure` for people, never a secret. */
export class Failure extends Error {
  readonly reason: FailureReason;
  readonly operation: Operation;
  readonly requestId: string | undefined;
  /** What the platform says of our rights, where it refuses for lack of them. */
  readonly privilege: Privilege | undefined;
  readonly cure: string;

  constructor(reason: FailureReason, message: string, context: FailureContext) {
    super(message, { cause: context.cause });
    this.name = 'Failure';
    this.reason = reason;
    this.operation = context.operation;
    this.requestId = context.requestId;
    this.privilege = context.privilege;
    this.cure = context.cure ?? failureAdvice[reason].cure;
  }
}

/** An error of another sort is a mistake in this program; its text may hold anything, so only the log has it. */
export function failureOf(error: unknown, operation: Operation): Failure {
  if (error instanceof Failure) return error;
  const name = error instanceof Error ? error.name : typeof error;
  const message = `${name} in the exporter itself; its log has the stack`;
  return new Failure('bug', message, { operation, cause: error });
}

export function listFailure(resource: Resource, reason: FailureReason, words: string): Failure {
  return new Failure(reason, `GET /${resource}: ${words}`, { operation: `list_${resource}` });
}

/** Why an exchange brought nothing. */
export interface Cause extends Pick<FailureContext, 'cure' | 'privilege'> {
  readonly reason: FailureReason;
  readonly message: string;
}

/** Of an answer that cannot be read, though the address has answered well before. */
export const cureOfBrokenAnswer =
  'The address is right. Look at what the message names, on the platform or in a proxy before it; the last good numbers are kept until `max_stale`.';
