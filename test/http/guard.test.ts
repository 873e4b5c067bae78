import { hashSync } from 'bcryptjs';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import type { WebConfig } from '../../src/config/web/file.ts';
import { createGuard, createPasswordCheck } from '../../src/http/guard.ts';
import type { Refusal } from '../../src/metrics/self.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { serve } from '../support/served.ts';

/** As htpasswd writes it. */
const hashOf = (password: string) => hashSync(password, 4).replace('$2b$', '$2y$');

/** Of the bytes in UTF-8, as clients have it. */
const base64 = (text: string) => Buffer.from(text).toString('base64');

async function guarded(settings: Partial<WebConfig>, clock: Clock = systemClock) {
  const open: WebConfig = { tls: undefined, headers: {}, users: new Map(), rateLimit: undefined };
  const web = { ...open, ...settings };
  const app = express();
  const refused: Refusal[] = [];
  app.use(createGuard({ web: () => web, clock, refused: (_request, reason) => refused.push(reason) }));
  app.get('/', (_request, response) => void response.send('inside'));
  const url = await serve(app);
  const send = (Authorization = '') => fetch(url, { headers: { Authorization } });
  const statusOf = async (login: string) => (await send(`Basic ${base64(login)}`)).status;
  return { send, statusOf, refused };
}

const users = new Map([
  ['prometheus', hashOf('s3cret')],
  ['colon', hashOf('a:b:c')],
  ['empty', hashOf('')],
  ['jürgen', hashOf('schlüssel')],
]);

describe('basic auth', () => {
  it('lets in who knows the password, however the header is written, and nobody else', async () => {
    const { send, statusOf } = await guarded({ users });
    for (const login of ['prometheus:s3cret', 'colon:a:b:c', 'empty:', 'jürgen:schlüssel'])
      expect([await statusOf(login), await statusOf(login)], login).toEqual([200, 200]);
    for (const login of ['prometheus:wrong', 'prometheus:', 'nobody:s3cret', ':s3cret', 'Prometheus:s3cret'])
      expect([await statusOf(login), await statusOf(login)], login).toEqual([401, 401]);
    const right = base64('prometheus:s3cret');
    for (const header of [`basic  ${right}`, `BASIC ${right}`])
      expect((await send(header)).status, header).toBe(200);
    const endless = `Basic a${' '.repeat(14_000)}!`;
    const wrong = ['Basic', 'Basic !!!', `Bearer ${right}`, right, `Basic ${base64('prometheus')}`, endless];
    for (const header of wrong) expect((await send(header)).status, header).toBe(401);
  });
});

/** Checks passwords of `prometheus` with this comparison; `hashes` has what it was compared with. */
function checkWith(compare: (password: string, hash: string) => Promise<boolean>) {
  const hashes: string[] = [];
  const check = createPasswordCheck((password, hash) => {
    hashes.push(hash);
    return compare(password, hash);
  });
  return { check, hashes, of: (password: string) => check(users, { user: 'prometheus', password }) };
}

describe('checking a password', () => {
  it('costs an unknown user as much as a known one, and never lets one in', async () => {
    const dear = new Map([['dear', `$2y$12$${'b'.repeat(53)}`]]);
    const { check, hashes } = checkWith(async () => true);
    const verdicts = ['dear', 'nobody', 'nobody'].map((user) => check(dear, { user, password: 'x' }));
    expect(await Promise.all(verdicts)).toEqual(['right', 'wrong', 'wrong']);
    expect(hashes.map((hash) => `${hash.slice(4, 6)} ${hash.length}`)).toEqual(Array(3).fill('12 60'));
  });

  it('happens one at a time, first come, first served, and once for who is let in', async () => {
    const gate = createGate();
    let [atOnce, most] = [0, 0];
    const asked: string[] = [];
    const { of } = checkWith(async (password) => {
      asked.push(password);
      most = Math.max(most, (atOnce += 1));
      await gate.passed;
      atOnce -= 1;
      return password === 's3cret';
    });
    const verdicts = ['one', 'two', 'three', 'four', 's3cret', 's3cret'].map(of);
    gate.open();
    expect((await Promise.all(verdicts)).slice(3)).toEqual(['wrong', 'right', 'right']);
    expect([most, asked]).toEqual([1, ['one', 'two', 'three', 'four', 's3cret']]);
  });

  it('turns strangers away when too many wait, but not who was let in before', async () => {
    const gate = createGate();
    const { of, hashes } = checkWith(async (password) => {
      if (password !== 's3cret') await gate.passed;
      return password === 's3cret';
    });
    expect(await of('s3cret')).toBe('right');
    const guesses = Array.from({ length: 30 }, (_, index) => of(`guess ${index}`));
    expect(await of('s3cret')).toBe('right');
    gate.open();
    const verdicts = await Promise.all(guesses);
    expect(verdicts).toEqual([...Array<string>(21).fill('wrong'), ...Array<string>(9).fill('busy')]);
    for (let guess = 0; guess < 250; guess += 1) await of(`another ${guess}`);
    const before = hashes.length;
    expect(await of('s3cret')).toBe('right');
    expect(hashes.length).toBe(before);
  });
});

describe('a rate limit', () => {
  it('lets a burst through and then one request per interval', async () => {
    const clock = createManualClock();
    const { send, refused } = await guarded({ rateLimit: { intervalMs: 1000, burst: 2 } }, clock);
    const statuses = [];
    for (const passed of [0, 0, 0, 1000, 0, 3_600_000, 0, 0]) {
      await clock.advance(passed);
      statuses.push((await send()).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429, 200, 200, 429]);
    expect(refused).toEqual(['rate_limit', 'rate_limit', 'rate_limit']);
  });
});
