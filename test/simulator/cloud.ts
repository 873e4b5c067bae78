import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { exporterAccount, type Account } from '../../src/simulator/accounts.ts';
import { answerRefusal, type Answer } from '../../src/simulator/answer.ts';
import * as simulator from '../../src/simulator/api.ts';
import type { Answerer, Around, Call, Core } from '../../src/simulator/api.ts';
import { countUpTo, createTable } from '../../src/simulator/fleet/rows.ts';
import { createResources } from '../../src/simulator/resources.ts';
import type { Tokens } from '../../src/simulator/tokens.ts';
import { accounts, createWays } from './accounts.ts';
import { speakAsDocumented } from './document.ts';
import { createFaults, type Replica } from './faults.ts';
import { createJournal, createLedger, listed } from './journal.ts';
import type { Arrival, Operation, PlatformCost } from './journal.ts';
import * as odd from './odd-answers.ts';

/** Which of the two the simulator speaks: the platform as it was seen to run, or its document to the letter. */
export type Dialect = 'platform' | 'document';

export interface CloudPlan extends Omit<simulator.CloudPlan, 'around' | 'accounts' | 'ways'> {
  readonly dialect?: Dialect;
  readonly platformCost?: PlatformCost;
  /** When the passwords of its accounts end; by default never. */
  readonly passwordExpiresAt?: number;
}

export type SimulatedCloud = Awaited<ReturnType<typeof startSimulatedCloud>>;

/** Where a page begins, by how many rows are before it, by offset or by id; and how long it is. */
export type Page = Readonly<Record<'offset' | 'limit', number>>;

type Maybe<Value> = Value | undefined;
type PageHook = Maybe<(page: Page, query: URLSearchParams) => unknown>;

/** Called before the answer is made; what they return is waited for, so that a test can hold a page back. */
interface Hooks {
  /** Before a list of servers is counted, and between the count and the rows: `total` is then of before. */
  beforePage?: PageHook;
  afterCount?: PageHook;
  beforeLogin?: Maybe<() => unknown>;
  /** When an answer is made, before it is sent; `asOf` is the moment of the tables that it was made from. */
  answered?: Maybe<(arrival: Arrival, answer: Answer, asOf: number) => void>;
}

/** Lies that a test may have the platform tell, changeable while it runs. */
interface Quirks {
  /** What the list of servers, or of hosts, says as `total`; undefined leaves the key out. */
  total?: Maybe<(real: number) => unknown>;
  hostTotal?: Maybe<(real: number) => unknown>;
  /** From now on no page of servers is longer, whatever is asked for. */
  longestPage?: Maybe<number>;
  /** What is sent in place of a server; undefined leaves the record out. */
  rewriteServer?: Maybe<(server: Record<string, unknown>) => unknown>;
  rewriteToken?: Maybe<(body: Record<string, unknown>) => unknown>;
}

/** The simulated platform with what tests do to it: a hook around each request. */
export async function startSimulatedCloud(plan: CloudPlan) {
  const { dialect = 'platform', platformCost, passwordExpiresAt, ...rest } = plan;
  const { journal, open } = createJournal();
  const { faults, faultFor } = createFaults();
  const { ledger, bill } = createLedger(platformCost);
  const [hooks, quirks]: [Hooks, Quirks] = [{}, {}];
  const usedSockets = new WeakSet<Socket>();
  const tickets = new Set<string>();
  let replicate: () => Omit<Replica, 'moment'>;
  let moment = 0;
  let known: readonly Account[] = accounts.map((one) => ({ ...one, passwordExpiresAt }));

  const around = (core: Core): Around => {
    const { fleet, tokens, now } = core;
    const maximum = plan.maximumPageSize ?? 2048;

    function pageOf(operation: Operation, query: URLSearchParams): Page {
      const limit = Math.min(Number(query.get('limit')) || maximum, maximum);
      const bound = query.getAll('filter').flatMap((text) => /^id\.gt\("(.+)"\)$/.exec(text)?.[1] ?? [])[0];
      const { byId } = fleet.tables[operation as 'hosts'] ?? fleet.tables.servers;
      const before = bound === undefined ? 0 : countUpTo(byId, bound);
      return { offset: Number(query.get('offset') ?? 0) + before, limit };
    }

    async function operate(call: Call, operation: Operation, answer: Answerer): Promise<Answer> {
      if (operation === 'login') await hooks.beforeLogin?.();
      const query = operation === 'list' ? bend(call.query) : call.query;
      let told = quirks;
      async function before(statement: 'count' | 'page'): Promise<void> {
        const hook = statement === 'count' ? hooks.beforePage : hooks.afterCount;
        if (operation === 'list') await hook?.(pageOf(operation, query), call.query);
        // What a hook set for this page is not meant for others that are made meanwhile.
        told = { ...quirks };
      }
      const real = await answer({ ...call, query, before });
      return real.status < 300 ? { ...real, body: lie(real.body, operation, told) } : real;
    }

    function bend(asked: URLSearchParams): URLSearchParams {
      const query = new URLSearchParams(asked);
      const longest = Math.min(pageOf('list', query).limit, quirks.longestPage ?? Infinity);
      if (quirks.longestPage !== undefined) query.set('limit', String(longest));
      return query;
    }

    /** An answer that nobody lies about is not looked at. */
    function lie(real: Buffer, operation: Operation, told: Quirks): Buffer {
      const { rewriteServer, rewriteToken } = told;
      if (operation === 'login') return rewriteToken === undefined ? real : odd.rewrite(real, rewriteToken);
      let body = real;
      const total = { list: told.total, hosts: told.hostTotal }[operation as string];
      if (total !== undefined)
        body = odd.rewrite(body, (page) => ({ ...page, total: total(Number(page['total'] ?? 0)) }));
      if (operation !== 'list') return body;
      if (rewriteServer === undefined) return body;
      return odd.rewriteRows(body, (rows) => rows.map(rewriteServer).filter((row) => row !== undefined));
    }

    async function exchange(call: Call, answer: Answerer, response: ServerResponse): Promise<void> {
      const { query, token } = call;
      const operation = operationOf(call.path);
      const { state: tokenState } = tokens.inspect(token);
      const sent = { query: Object.fromEntries(query), parameters: query, tokenSent: token, tokenState };
      const arrival = { ...call, operation, ...sent, at: now() };
      const entry = open(arrival);
      const close = () => (entry.isOpen = false);
      response.once('close', close);

      const { socket } = response.req;
      const { offset, limit } = pageOf(operation, query);
      const fault = faultFor(arrival, Math.round(offset / limit), usedSockets.has(socket));
      usedSockets.add(socket);
      if (fault !== undefined && (await odd.failBeforeAnswer(response, fault))) return;
      const replaced = fault && odd.replaceAnswer(fault, arrival);
      const replica = fault?.kind === 'older' ? fault.from(arrival) : undefined;
      const real = replaced ?? (await operate(call, operation, replica?.answer ?? answer));
      if (replaced === undefined) bill(arrival, real);
      const altered = fault === undefined ? real : odd.alterAnswer(real, fault, now(), fleet.find);
      hooks.answered?.(arrival, altered, replica?.moment ?? moment);
      // What the fault did to the clock stands.
      if (fault === undefined) close();
      await odd.deliver(response, altered, fault);
    }

    /** What there is now, in tables of its own. */
    replicate = () => {
      const { servers, hosts, projects } = fleet;
      const copies = Object.entries(fleet.tables).map(([key, { rows }]) => [
        key,
        createTable<never>(rows as never),
      ]);
      const tables = Object.fromEntries(copies) as typeof fleet.tables;
      const frozen = { ...fleet, servers, hosts, projects, tables };
      const release = plan.release ?? '3.11';
      const resources = createResources(frozen, { tokens, release, maximumPageSize: maximum });
      const answer: Answerer = async (call) => {
        try {
          return await resources.get(call.path.split('/')[2]!)!.list(call);
        } catch (error) {
          return answerRefusal(error, now());
        }
      };
      return { answer: translate(answer) };
    };

    const translate = dialect === 'document' ? speakAsDocumented(core) : (answer: Answerer) => answer;
    return (call, answer, response) => exchange(call, translate(answer), response);
  };

  const ways = (tokens: Tokens) => createWays(tokens, tickets);
  const cloud = await simulator.startSimulatedCloud({ ...rest, around, ways, accounts: () => known });
  const { tokens } = cloud;
  return {
    ...cloud,
    journal,
    ledger,
    faults,
    hooks,
    quirks,
    get issuedTokens(): number {
      return tokens.issued.length;
    },
    get latestToken(): string | undefined {
      return tokens.issued.at(-1)?.id;
    },
    revokeTokens: tokens.revokeAll,
    /** Counts what happened, as a test has it: so an answer has a date that no clock has to tell. */
    get moment(): number {
      return moment;
    },
    pass: () => (moment += 1),
    /** For faults: it stays as everything is now. */
    replicate: (): Replica => ({ ...replicate(), moment }),
    /** Of the exporter's account. */
    setPassword(password: string): void {
      known = known.map((one) => (one.id === exporterAccount.id ? { ...one, password } : one));
    },
    /** A CAS ticket that opens one login. */
    issueTicket(): string {
      const ticket = `ST-${randomUUID()}`;
      tickets.add(ticket);
      return ticket;
    },
  };
}

function operationOf(path: string): Operation {
  const [, service, resource, id] = path.split('/');
  if (service === 'identity') return path.endsWith('/v3/auth/tokens') ? 'login' : 'other';
  if (id !== undefined) return 'other';
  return resource === 'servers' ? 'list' : (listed.find((name) => name === resource) ?? 'other');
}
