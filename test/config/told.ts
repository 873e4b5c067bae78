import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ConfigError, loadConfig, type CloudConfig, type Config } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/simulated.ts';

type Environment = Readonly<Record<string, string>>;

/** Everything that keeps a configuration from being used; nothing if it is good. */
export async function problemsOf(loaded: Promise<unknown>): Promise<readonly string[]> {
  return loaded.then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    },
  );
}

/** The configuration of a file with this in it. */
export async function loadText(content: string | Buffer, environment: Environment = {}): Promise<Config> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, content);
  return loadConfig({ file, environment });
}

/** What is said about a file with this in it, as FILE. */
export async function toldOf(content: string | Buffer | object): Promise<string[]> {
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  const lines = await problemsOf(loadText(isText ? content : stringify(content)));
  return lines.map((line) => line.replaceAll(/\/\S*?\/clouds\.yml/g, 'FILE'));
}

export const toldOfEnvironment = (environment: Environment) => problemsOf(loadConfig({ environment }));

/** The one cloud that these variables name. */
export async function cloudOf(environment: Environment): Promise<CloudConfig> {
  return (await loadConfig({ environment })).clouds[0]!;
}

export const account = {
  OS_AUTH_URL: 'https://a.example.com',
  OS_USERNAME: 'me',
  OS_PASSWORD: 'hunter2-of-mine',
};
