import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rooms whose own tests should notice nearly every change. */
export const rooms: readonly string[] = [
  'src/platform/page-plan.ts',
  'src/platform/list-servers.ts',
  'src/platform/whole-page.ts',
  'src/platform/state.ts',
  'src/identity/token.ts',
  'src/inventory/collector.ts',
  'src/inventory/problems.ts',
];

/** The tests in the folder beside a room that import it, by themselves or through a file next to them. */
export function testsBeside(root: string, room: string): string[] {
  const folder = room.replace(/^src/, 'test').replace(/\/[^/]*$/, '');
  const files = readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name, text: readFileSync(join(root, folder, name), 'utf8') }));
  const importers = files.filter(({ text }) => text.includes(`/${room}'`)).map(({ name }) => name);
  const isBeside = ({ text }: { text: string }) => importers.some((name) => text.includes(`'./${name}'`));
  const tests = files.filter((file) => importers.includes(file.name) || isBeside(file));
  return tests.map(({ name }) => join(folder, name)).filter((path) => path.endsWith('.test.ts'));
}
