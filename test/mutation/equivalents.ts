/** A mutation after which the program does the same, so that no test can notice it. */
export interface Equivalent {
  readonly room: string;
  /** As the command prints it. */
  readonly change: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
