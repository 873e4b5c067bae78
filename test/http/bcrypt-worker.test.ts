import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';
import { createBcryptWorker } from '../../src/http/bcrypt-worker.ts';

const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

it('compares in a thread that keeps the process alive only as long as somebody waits', async () => {
  const compare = createBcryptWorker();
  const before = ports();
  const hash = hashSync('right', 4);
  const verdicts = Promise.all([compare('right', hash), compare('wrong', hash)]);
  expect(ports()).toBe(before + 1);
  expect(await verdicts).toEqual([true, false]);
  expect(ports()).toBe(before);
});
