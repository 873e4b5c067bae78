import { writeHome } from './home.ts';

const name = process.argv[2] ?? '';
try {
  writeHome('.', name);
  process.stdout.write(
    `The address is ${name}. Look at git diff, run npm run docs and npm test, and commit.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
