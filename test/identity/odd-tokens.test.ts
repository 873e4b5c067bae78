import type { OutgoingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIssuer, type Token } from '../../src/identity/issue.ts';
import { endpointOf } from '../../src/platform/catalog.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { serve, transportWith } from '../support/served.ts';
import { givenToken } from './token-source.ts';

const hour = 3_600_000;
const wanted = { interface: 'public', region: undefined };

/** An identity service that answers whatever it is told to, and one who logs in there. */
async function setUp() {
  const clock = createManualClock();
  const told: { headers: OutgoingHttpHeaders; token: object } = { headers: {}, token: {} };
  const { origin: authUrl } = await serve((_request, response) => {
    response.sendDate = false;
    response.writeHead(201, { 'X-Subject-Token': 'a-token', ...told.headers });
    response.end(JSON.stringify({ token: told.token }));
  });
  const issue = createIssuer({ authUrl, scope: undefined, transport: transportWith({ clock }), clock });
  return {
    clock,
    logIn(token: object, headers: OutgoingHttpHeaders = {}): Promise<Token> {
      Object.assign(told, { token, headers });
      return issue({ credential: givenToken, deadline: clock.monotonic() + 60_000 });
    },
  };
}

describe('a token', () => {
  it.each([
    ['+275760-09-13T00:00:00Z', undefined, hour],
    ['0001-01-01T00:00:00Z', undefined, hour],
    ['2026-11-15T02:00:00Z', Date.parse('2026-11-15T02:00:00Z'), 2 * hour],
    ['9999-12-31T23:59:59Z', Date.parse('9999-12-31T23:59:59Z'), 251_607_599_999_000],
  ])('whose end is %j has the end %j, and lives for %i ms', async (expires_at, expiresAt, lifeMs) => {
    const { clock, logIn } = await setUp();
    const token = await logIn({ expires_at });
    expect(token.expiresAt).toBe(expiresAt);
    expect([token.deadAt - clock.monotonic(), token.endsAt - clock.now()]).toEqual([lifeMs, lifeMs]);
    const marginMs = Math.min(300_000, lifeMs / 5);
    expect([token.deadAt - token.renewAt, token.endsAt - token.renewAtWall]).toEqual([marginMs, marginMs]);
  });

  it.each([
    ['Sun, 15 Nov 2026 00:00:00 GMT', 0],
    ['Sun, 15 Nov 2026 00:00:05 GMT', 0],
    ['Sun, 15 Nov 2026 00:00:06 GMT', 6000],
    ['Sat, 14 Nov 2026 23:59:54 GMT', -6000],
    ['Sat, 14 Nov 2026 23:00:00 GMT', -hour],
    ['Tue, 13 Sep 275760 00:00:00 GMT', 0],
    ['Fri, 31 Dec 1600 00:00:00 GMT', 0],
    ['nonsense', 0],
  ])('that comes with the Date %j is judged by a clock that is %i ms ahead', async (date, skewMs) => {
    const { clock, logIn } = await setUp();
    const token = await logIn({ expires_at: '2026-11-15T03:00:00Z' }, { Date: date });
    expect(token.clockSkewMs).toBe(skewMs);
    expect(token.deadAt - clock.monotonic()).toBe(3 * hour - skewMs);
  });

  it.each([
    [{ policies: { system: ['sysadmin'], project: ['project-admin'] } }, 'system'],
    [{ Policies: { System: ['sysadmin'] } }, 'system'],
    [{ policies: { domain: ['domain-admin'], project: ['project-admin'] } }, 'domain'],
    [{ Policies: { Domain: ['domain-admin'] } }, 'domain'],
    [{ policies: { project: ['project-admin'] } }, 'project'],
    [{ policies: { system: [], domain: null } }, 'project'],
    [{ policies: 'sysadmin' }, 'project'],
    [{}, 'project'],
  ])('with %j may ask for the scope %s', async (token, scope) => {
    const { logIn } = await setUp();
    expect((await logIn(token)).widestScope).toBe(scope);
  });

  it('of any end, from any clock and with any addresses is understood, or a failure in words', async () => {
    const { clock, logIn } = await setUp();
    const year = fc.oneof(fc.integer({ min: -300_000, max: 300_000 }), fc.integer({ min: 1900, max: 2100 }));
    const date = fc.date({ noInvalidDate: true });
    const moment = fc.oneof(
      date.map((one) => one.toISOString()),
      date.map((one) => one.toUTCString()),
      year.map((number) => `Sun, 15 Nov ${number} 08:00:00 GMT`),
      fc.string({ unit: 'grapheme-ascii' }),
    );
    const start = fc.constantFrom('http://', 'http://h:1', 'https://[::1]', 'ftp://h');
    const end = fc.constantFrom('', ' ', '\t', '\n', '\0', '\u00a0', '?', '#', '//', '%', ':99999');
    const url = fc.tuple(fc.oneof(fc.webUrl(), fc.string(), start), end).map((parts) => parts.join(''));
    const anything = fc.oneof(moment, fc.jsonValue());
    const answers = [anything, moment, anything, fc.oneof(url, fc.jsonValue())] as const;
    const property = fc.asyncProperty(...answers, async (expires_at, date, password_expires_at, url) => {
      const catalog = [{ type: 'compute_v2', endpoints: [{ interface: 'public', region: 'r', url }] }];
      const answer = { expires_at, catalog, user: { password_expires_at } };
      try {
        const token = await logIn(answer, { Date: date.trim() });
        for (const at of [token.endsAt, token.expiresAt ?? 0, token.passwordExpiresAt ?? 0])
          expect(new Date(at).toISOString()).toMatch(/Z$/);
        expect(token.deadAt).toBeGreaterThan(clock.monotonic());
        expect(token.renewAt).toBeLessThan(token.deadAt);
        expect(URL.canParse(`${endpointOf(token.catalog, undefined, wanted)}/servers`)).toBe(true);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        expect(['malformed', 'endpoint']).toContain(error.reason);
        expect(error.message).not.toBe('');
      }
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
