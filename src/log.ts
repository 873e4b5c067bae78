import { pino } from 'pino';
import { printable } from './printable.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['logfmt', 'json'] as const;

/** What the program needs of a logger; fields first, as pino has it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** A second fence: nothing passes secrets to the log, and these fields would be blanked if something did. */
const secretFields = ['password', 'token', 'secret', 'secretKey', 'headers', 'config'];

export function createLog(input: {
  level: LogLevel;
  format: (typeof logFormats)[number];
  /** Where lines go. It may throw: the program goes on without a log. */
  output: { write(line: string): unknown };
}): Log & { lostLines(): number } {
  let lost = 0;
  const destination = {
    write(line: string): void {
      try {
        const words = input.format === 'json' ? line.trimEnd() : logfmt(line);
        // Names come from the platform, and a terminal obeys control characters.
        input.output.write(`${printable(words)}\n`);
      } catch {
        // The reader is gone or the disk is full; a metric counts it.
        lost += 1;
      }
    },
  };
  const options = {
    level: input.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'msg',
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
  return Object.assign(pino(options, destination), { lostLines: () => lost });
}

function logfmt(line: string): string {
  const fields = JSON.parse(line) as Record<string, unknown>;
  return Object.entries(fields).map(pair).join(' ');
}

function pair([key, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${key}=${/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text}`;
}
