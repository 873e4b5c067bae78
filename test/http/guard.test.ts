import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import type { WebConfig } from '../../src/config/web/file.ts';
import { createBcryptWorker, createGuard, createPasswordCheck, parseBasic } from '../../src/http/guard.ts';
import type { Refusal } from '../../src/metrics/self.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { serve } from '../support/served.ts';

/** As htpasswd writes it. */
const hashOf = (password: string) => hashSync(password, 4).replace('$2b$', '$2y$');

async function guarded(settings: Partial<WebConfig>, clock: Clock = systemClock) {
  const open: WebConfig = { tls: undefined, headers: {}, users: new Map(), rateLimit: undefined };
  let web = { ...open, ...settings };
  const app = express();
  const refused: Refusal[] = [];
  app.use(createGuard({ web: () => web, clock, refused: (_request, reason) => refused.push(reason) }));
  app.get(['/', '/-/healthy'], (_request, response) => void response.send('inside'));
  const url = (await serve(app)).origin;
  const ask = (login?: string, path = '/') =>
    fetch(`${url}${path}`, {
      headers: login === undefined ? {} : { Authorization: `Basic ${btoa(login)}` },
    });
  return { url, ask, refused, change: (next: Partial<WebConfig>) => (web = { ...open, ...next }) };
}

const users = new Map([
  ['prometheus', hashOf('s3cret')],
  ['colon', hashOf('a:b:c')],
  ['empty', hashOf('')],
  ['jürgen', hashOf('schlüssel')],
]);

describe('basic auth', () => {
  it.each(['/', '/-/healthy', '/nowhere'])('stands before every path, with headers: %s', async (path) => {
    const { ask, refused } = await guarded({ users, headers: { 'X-Frame-Options': 'deny' } });
    const answer = await ask(undefined, path);
    expect(answer.headers.get('x-frame-options')).toBe('deny');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Basic realm="cloud-platform-exporter", charset="UTF-8"',
    );
    expect(await answer.text()).toBe('a user name and password are needed\n');
    expect(refused).toEqual(['unauthorized']);
  });

  it.each([
    ...['prometheus:s3cret', 'colon:a:b:c', 'empty:'].map((login) => [login, 200]),
    ...['prometheus:wrong', 'prometheus:', 'nobody:s3cret', ':s3cret', 'prometheus', 'Prometheus:s3cret'].map(
      (login) => [login, 401],
    ),
  ] as [string, number][])('lets in who knows the password: %s is answered %i', async (login, status) => {
    const { ask } = await guarded({ users });
    expect([(await ask(login)).status, (await ask(login)).status]).toEqual([status, status]);
  });

  it('forgets the old password as soon as the file has a new one', async () => {
    const { ask, change } = await guarded({ users });
    expect((await ask('prometheus:s3cret')).status).toBe(200);
    change({ users: new Map([['prometheus', hashOf('renewed')]]) });
    expect((await ask('prometheus:s3cret')).status).toBe(401);
    expect((await ask('prometheus:renewed')).status).toBe(200);
    change({ users: new Map() });
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ['Basic dXNlcjpwYXNz', { user: 'user', password: 'pass' }],
    ['basic  OjE=', { user: '', password: '1' }],
    ['BASIC YTpiOmM=', { user: 'a', password: 'b:c' }],
    ['Basic asO8OsOk', { user: 'jü', password: 'ä' }],
    ['Basic bm9jb2xvbg==', undefined],
    ['Basic', undefined],
    ['Bearer dXNlcjpwYXNz', undefined],
    ['Basic !!!', undefined],
    [undefined, undefined],
    [`Basic${' '.repeat(16_000)}`, undefined],
    [`Basic ${'a'.repeat(16_000)}!`, undefined],
    [`Basic a${' '.repeat(16_000)}!`, undefined],
  ])('reads the header %s', (header, login) => {
    expect(parseBasic(header)).toEqual(login);
  });
});

function counted(compare: (password: string, hash: string) => Promise<boolean>) {
  const hashes: string[] = [];
  const check = createPasswordCheck((password, hash) => {
    hashes.push(hash);
    return compare(password, hash);
  });
  return { check, hashes };
}

describe('checking a password', () => {
  it('costs an unknown user as much as a known one', async () => {
    const dear = new Map([
      ['cheap', `$2y$04$${'a'.repeat(53)}`],
      ['dear', `$2y$12$${'b'.repeat(53)}`],
    ]);
    const { check, hashes } = counted(() => Promise.resolve(false));
    await check(dear, { user: 'dear', password: 'x' });
    await check(dear, { user: 'nobody', password: 'x' });
    expect(hashes.map((hash) => [hash.slice(4, 6), hash.length])).toEqual([
      ['12', 60],
      ['12', 60],
    ]);
  });

  it('lets no unknown user in, whatever the comparison with the decoy says', async () => {
    const { check } = counted(() => Promise.resolve(true));
    expect(await check(users, { user: 'nobody', password: 'x' })).toBe('wrong');
    expect(await check(users, { user: 'nobody', password: 'x' })).toBe('wrong');
  });

  it('happens once for who is let in, and one at a time', async () => {
    const gate = createGate();
    let atOnce = 0;
    let most = 0;
    const { check, hashes } = counted(async (password) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await gate.passed;
      atOnce -= 1;
      return password === 's3cret';
    });
    const logins = ['s3cret', 's3cret', 'one', 'two', 's3cret', 'one'];
    const verdicts = logins.map((password) => check(users, { user: 'prometheus', password }));
    gate.open();
    expect(await Promise.all(verdicts)).toEqual(['right', 'right', 'wrong', 'wrong', 'right', 'wrong']);
    expect([most, hashes.length]).toEqual([1, 4]);
  });

  it('turns strangers away when too many wait, but not who was let in before', async () => {
    const gate = createGate();
    const { check, hashes } = counted(async (password) => {
      if (password !== 's3cret') await gate.passed;
      return password === 's3cret';
    });
    expect(await check(users, { user: 'prometheus', password: 's3cret' })).toBe('right');
    const guesses = Array.from({ length: 30 }, (_, index) =>
      check(users, { user: 'prometheus', password: `guess ${index}` }),
    );
    expect(await check(users, { user: 'prometheus', password: 's3cret' })).toBe('right');
    gate.open();
    const verdicts = await Promise.all(guesses);
    expect(verdicts.filter((verdict) => verdict === 'busy')).toHaveLength(9);
    expect(verdicts.slice(10).filter((verdict) => verdict === 'wrong')).toHaveLength(20);
    for (let guess = 0; guess < 250; guess += 1)
      await check(users, { user: 'prometheus', password: `another ${guess}` });
    const before = hashes.length;
    expect(await check(users, { user: 'prometheus', password: 's3cret' })).toBe('right');
    expect(hashes.length).toBe(before);
  });

  it('takes the latest and the oldest in turn: who comes in between guesses waits for few of them', async () => {
    const gate = createGate();
    const asked: string[] = [];
    const { check } = counted(async (password) => {
      asked.push(password);
      await gate.passed;
      return password === 's3cret';
    });
    const guesses = ['one', 'two', 'three', 'four'].map((password) =>
      check(users, { user: 'prometheus', password }),
    );
    const verdict = check(users, { user: 'prometheus', password: 's3cret' });
    gate.open();
    expect(await verdict).toBe('right');
    await Promise.all(guesses);
    expect(asked).toEqual(['one', 'two', 's3cret', 'three', 'four']);
  });

  it('leaves the event loop free for everybody else', async () => {
    const slow = new Map([['prometheus', hashSync('s3cret', 11)]]);
    const check = createPasswordCheck();
    const verdict = check(slow, { user: 'prometheus', password: 's3cret' });
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    let turns = 0;
    while ((await Promise.race([verdict, turn()])) === undefined) turns += 1;
    expect(await verdict).toBe('right');
    // On the loop itself it is a handful: one for each tenth of a second.
    expect(turns).toBeGreaterThan(100);
  });

  it('goes on after a comparison that broke', async () => {
    let calls = 0;
    const { check } = counted(() => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(true);
    });
    await expect(check(users, { user: 'prometheus', password: 'a' })).rejects.toThrow('broken');
    expect(await check(users, { user: 'prometheus', password: 'a' })).toBe('right');
  });
});

describe('a rate limit', () => {
  it('lets a burst through and then one request per interval', async () => {
    const clock = createManualClock();
    const { ask, refused } = await guarded({ rateLimit: { intervalMs: 1000, burst: 2 } }, clock);
    const statuses = async (count: number) => {
      const seen: number[] = [];
      for (let index = 0; index < count; index += 1) seen.push((await ask()).status);
      return seen;
    };
    expect(await statuses(3)).toEqual([200, 200, 429]);
    expect(refused).toEqual(['rate_limit']);
    await clock.advance(1000);
    expect(await statuses(2)).toEqual([200, 429]);
    await clock.advance(3_600_000);
    expect(await statuses(3)).toEqual([200, 200, 429]);
  });
});

it('compares in a thread that keeps the process alive only as long as somebody waits', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const compare = createBcryptWorker();
  const before = ports();
  const hash = hashSync('right', 4);
  const verdict = compare('right', hash);
  expect(ports()).toBe(before + 1);
  expect([await verdict, await compare('wrong', hash)]).toEqual([true, false]);
  expect(ports()).toBe(before);
});

describeWith(['curl'], 'curl', () => {
  it('is let in with the password only, in the letters of any language', async () => {
    const { url } = await guarded({ users });
    const ask = async (...words: string[]) => {
      const quiet = ['-sS', '-o', '/dev/null', '-w', '%{http_code}'];
      return (await promisify(execFile)(pathOf('curl'), [...quiet, ...words, url])).stdout;
    };
    expect([await ask(), await ask('-u', 'jürgen:schlüssel')]).toEqual(['401', '200']);
  });
});
