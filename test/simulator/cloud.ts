import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from '../../src/simulator/answer.ts';
import * as simulator from '../../src/simulator/api.ts';
import type { Answerer, Around, Call, Core } from '../../src/simulator/api.ts';
import { countUpTo } from '../../src/simulator/fleet/rows.ts';
import { speakAsDocumented } from './document.ts';
import { createFaults, type Faults } from './faults.ts';
import { createJournal, createWorkplace, listed } from './journal.ts';
import type { Journal, Ledger, Operation, PlatformCost } from './journal.ts';
import {
  alterAnswer,
  deliver,
  failBeforeAnswer,
  replaceAnswer,
  rewrite,
  rewriteRows,
} from './odd-answers.ts';

/** Which of the two the simulator speaks: the platform as it was seen to run, or its document to the letter. */
export type Dialect = 'platform' | 'document';

export interface CloudPlan extends Omit<simulator.CloudPlan, 'around'> {
  readonly dialect?: Dialect;
  /** Paths that this platform does not have, such as `hosts`. */
  readonly without?: readonly Operation[];
  readonly platformCost?: PlatformCost;
}

export interface SimulatedCloud extends simulator.SimulatedCloud {
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly hooks: Hooks;
  readonly quirks: Quirks;
}

/** Where a page begins, by how many rows are before it, by offset or by id; and how long it is. */
export type Page = Readonly<Record<'offset' | 'limit', number>>;

type Maybe<Value> = Value | undefined;
type PageHook = Maybe<(page: Page, query: URLSearchParams) => unknown>;

/** Called before the answer is made; what they return is waited for, so that a test can hold a page back. */
export interface Hooks {
  /** Before a list of servers is counted, and between the count and the rows: `total` is then of before. */
  beforePage?: PageHook;
  afterCount?: PageHook;
  beforeHosts?: PageHook;
  beforeLogin?: Maybe<() => unknown>;
}

/** Lies that a test may have the platform tell, changeable while it runs. */
export interface Quirks {
  /** What the list of servers, or of hosts, says as `total`; undefined leaves the key out. */
  total?: Maybe<(real: number) => unknown>;
  hostTotal?: Maybe<(real: number) => unknown>;
  ignoreOffset?: Maybe<boolean>;
  /** From now on no page of servers is longer, whatever is asked for. */
  longestPage?: Maybe<number>;
  /** Which of the parameters of a list of servers it takes; the others are ignored in silence. */
  takeParameters?: Maybe<(query: URLSearchParams) => URLSearchParams>;
  /** What is sent in place of a server; undefined leaves the record out. */
  rewriteServer?: Maybe<(server: Record<string, unknown>) => unknown>;
  rewriteToken?: Maybe<(body: Record<string, unknown>) => unknown>;
}

/** The simulated platform with what tests do to it: a hook around each request. */
export async function startSimulatedCloud(plan: CloudPlan): Promise<SimulatedCloud> {
  const { dialect = 'platform', without = [], platformCost, ...rest } = plan;
  const { journal, open } = createJournal();
  const { faults, faultFor } = createFaults();
  const { ledger, work } = createWorkplace(platformCost);
  const [hooks, quirks]: [Hooks, Quirks] = [{}, {}];
  const usedSockets = new WeakSet<Socket>();

  const around = (core: Core): Around => {
    const { fleet, tokens, now } = core;
    const maximum = plan.maximumPageSize ?? 2048;

    function pageOf(operation: Operation, query: URLSearchParams): Page {
      const limit = Math.min(Number(query.get('limit')) || maximum, maximum);
      const bound = query.getAll('filter').flatMap((text) => /^id\.gt\("(.+)"\)$/.exec(text)?.[1] ?? [])[0];
      const { byId } = fleet.tables[operation === 'list' ? 'servers' : (operation as 'hosts')];
      const before = bound === undefined ? 0 : countUpTo(byId, bound);
      return { offset: Number(query.get('offset') ?? 0) + before, limit };
    }

    async function operate(call: Call, operation: Operation, answer: Answerer): Promise<Answer> {
      if (operation === 'login') await hooks.beforeLogin?.();
      if (!isList(operation, call)) return lie(await answer(call), operation, call);
      let told = quirks;
      const query = operation === 'list' ? bend(call.query) : call.query;
      const page = pageOf(operation, query);
      const real = await answer({
        ...call,
        query,
        async before(statement) {
          const { beforePage, afterCount, beforeHosts } = hooks;
          const hook = { count: { list: beforePage, hosts: beforeHosts }, page: { list: afterCount } }[
            statement
          ];
          await (hook as Record<string, PageHook>)[operation]?.(page, call.query);
          // What a hook set for this page is not meant for others that are made meanwhile.
          told = { ...quirks };
        },
      });
      return lie(real, operation, call, told);
    }

    function bend(asked: URLSearchParams): URLSearchParams {
      const query = new URLSearchParams(quirks.takeParameters?.(asked) ?? asked);
      const { longestPage, ignoreOffset } = quirks;
      if (longestPage !== undefined)
        query.set('limit', String(Math.min(pageOf('list', query).limit, longestPage)));
      if (ignoreOffset === true) query.delete('offset');
      return query;
    }

    /** The lies. An answer that nobody lies about is not looked at. */
    function lie(answer: Answer, operation: Operation, call: Call, told = quirks): Answer {
      const { rewriteServer, rewriteToken, ignoreOffset } = told;
      if (answer.status >= 300) return answer;
      let { body } = answer;
      if (operation === 'login' && rewriteToken !== undefined) body = rewrite(body, rewriteToken);
      if (operation === 'list' && rewriteServer !== undefined)
        body = rewriteRows(body, (rows) => rows.map(rewriteServer).filter((row) => row !== undefined));
      const total = { list: told.total, hosts: told.hostTotal }[operation as string];
      if (total !== undefined && isList(operation, call))
        body = rewrite(body, (page) => ({ ...page, total: total(Number(page['total'] ?? 0)) }));
      if (operation === 'list' && ignoreOffset === true && call.query.has('offset'))
        body = rewrite(body, (page) => ({ ...page, offset: Number(call.query.get('offset')) }));
      return { ...answer, body };
    }

    async function exchange(call: Call, core: Answerer, response: ServerResponse): Promise<void> {
      const { query, method, path, headers, body, token } = call;
      const operation = operationOf(path);
      const { state: tokenState } = tokens.inspect(token);
      const sent = { operation, method, path, query: Object.fromEntries(query), parameters: query, headers };
      const arrival = { ...sent, body, tokenSent: token, tokenState, at: now() };
      const entry = open(arrival);
      const close = () => (entry.isOpen = false);
      response.once('close', close);

      const { socket } = response.req;
      const { offset, limit } = isList(operation, call)
        ? pageOf(operation, query)
        : { offset: NaN, limit: 1 };
      const page = Math.round(offset / limit);
      const fault = faultFor(arrival, page, usedSockets.has(socket));
      usedSockets.add(socket);
      entry.fault = fault?.kind;
      if (fault !== undefined && (await failBeforeAnswer(response, fault))) return;
      const real =
        (fault && replaceAnswer(fault, arrival)) ??
        (await work(arrival, () => operate(call, operation, core)));
      const answer = fault === undefined ? real : alterAnswer(real, fault, now());
      entry.status = answer.status;
      // What the fault did to the clock stands.
      if (fault === undefined) close();
      await deliver(response, answer, fault);
    }

    const translate = dialect === 'document' ? speakAsDocumented(core) : undefined;
    return (call, answer, response) => {
      const known = (asked: Call) =>
        without.includes(operationOf(asked.path))
          ? answer({ ...asked, path: '/compute/nothing' })
          : answer(asked);
      return exchange(call, translate?.(known) ?? known, response);
    };
  };

  const cloud = await simulator.startSimulatedCloud({ ...rest, around });
  const own = { journal, ledger, faults, hooks, quirks };
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(cloud)) as SimulatedCloud;
}

function operationOf(path: string): Operation {
  const [, service, first = '', second] = path.split('/');
  if (service === 'identity') return path.endsWith('/v3/auth/tokens') ? 'login' : 'other';
  if (first === 'servers') return second === undefined ? 'list' : 'show';
  return listed.find((name) => name === first) ?? 'other';
}

function isList(operation: Operation, { path }: Call): boolean {
  return !['login', 'show', 'other'].includes(operation) && path.split('/').length === 3;
}
