import { readdirSync } from 'node:fs';
import { join } from 'node:path/posix';

const notOurs = new Set(['node_modules', 'dist', 'build', 'coverage', '.git']);

/** The files of the project that are named so, as git lists them: but a copy without git has them, too. */
export function projectFiles(named: RegExp, folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !notOurs.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return projectFiles(named, path);
      return entry.isFile() && named.test(path) ? [path] : [];
    });
}
