import { statSync } from 'node:fs';
import { ConfigError } from '../load.ts';
import { readWebFile, type WebConfig, type WebReading } from './file.ts';

/** The web configuration as it is now: a renewed certificate or a changed password needs no restart. */
export interface WebSource {
  current(): WebConfig;
}

/** Told of each change once: that it is in force, or why it is not. */
export interface WebObserver {
  changed(): void;
  refused(problems: readonly string[]): void;
}

/** Throws a ConfigError if the file is bad at the start; later a bad file leaves the last good one in force. */
export function openWebSource(file: string, observer: WebObserver): WebSource {
  let seen = look(file);
  if ('problems' in seen.outcome) throw new ConfigError(seen.outcome.problems);
  let { config } = seen.outcome;

  function takeOver(outcome: WebReading['outcome']): void {
    const problems = 'problems' in outcome ? outcome.problems : restartProblems(file, config, outcome.config);
    if ('problems' in outcome || problems.length > 0) return observer.refused(problems);
    config = outcome.config;
    observer.changed();
  }

  return {
    current() {
      if (stampOf(seen.files) === seen.stamp) return config;
      seen = look(file);
      takeOver(seen.outcome);
      return config;
    },
  };
}

/** The stamp is taken before what counts is read, so that a change in between is seen the next time. */
function look(file: string): WebReading & { readonly stamp: string } {
  const stamp = stampOf(readWebFile(file).files);
  return { ...readWebFile(file), stamp };
}

function stampOf(files: readonly string[]): string {
  return files.map(stampOfOne).join();
}

/** A time alone would hide two changes within one tick, and a link that points elsewhere. */
function stampOfOne(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return 'unreadable';
  }
}

/** What must not change under way: the socket cannot, or a file half written would open the door for a moment. */
function restartProblems(file: string, before: WebConfig, after: WebConfig): string[] {
  if ((before.tls === undefined) !== (after.tls === undefined))
    return [`${file}: tls_server_config: TLS is switched on or off by a restart only`];
  if (before.tls?.clientAuth !== after.tls?.clientAuth)
    return [`${file}: tls_server_config.client_auth_type: is changed by a restart only`];
  if (before.users.size > 0 && after.users.size === 0)
    return [`${file}: basic_auth_users: the last user is removed by a restart only`];
  return [];
}
