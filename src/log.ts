import { Writable } from 'node:stream';
import { pino } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['logfmt', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** What the program needs of a logger; fields first, as pino has it. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** A second fence: nothing passes secrets to the log, and these paths would be blanked if something did. */
const secretPaths = [
  'password',
  'token',
  'secret',
  'secretKey',
  'headers',
  'config',
  '*.password',
  '*.token',
  '*.headers',
];

export function createLog(input: { level: LogLevel; format: LogFormat; output: NodeJS.WritableStream }): Log {
  const options = {
    level: input.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'msg',
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretPaths, censor: '[redacted]' },
  };
  return pino(options, input.format === 'json' ? input.output : logfmt(input.output));
}

function logfmt(output: NodeJS.WritableStream): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const fields = JSON.parse(chunk.toString()) as Record<string, unknown>;
      output.write(`${Object.entries(fields).map(pair).join(' ')}\n`);
      done();
    },
  });
}

function pair([key, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${key}=${/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text}`;
}
