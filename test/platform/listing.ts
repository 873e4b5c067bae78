import { onTestFinished } from 'vitest';
import { createIssuer } from '../../src/identity/issue.ts';
import { createTokenSource } from '../../src/identity/token.ts';
import { createPlatformApi } from '../../src/platform/api.ts';
import { listServers, type ListPlan } from '../../src/platform/list-servers.ts';
import type { Rejected } from '../../src/platform/register.ts';
import { createRoll, type RollCall } from '../../src/platform/roll.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createSuspicionMemory, tellingOf, type Listed } from '../../src/platform/suspicion.ts';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { createTransport } from '../../src/transport/request.ts';
import { createYieldToEventLoop } from '../../src/yield-to-event-loop.ts';
import { createFaultClock, requestTimeoutMs } from '../faults/fault-clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { simulate } from '../support/simulated.ts';

type Given = Partial<Omit<Parameters<typeof listServers<Server & Listed, Kept>>[0], 'plan'>>;

interface Kept {
  readonly ids: string[];
  readonly rollCall: RollCall<(Server & Listed) | Rejected>;
  add(server: Server, offset: number): void;
}

const usual: ListPlan = { pageSize: 100, pageLimit: 50, overlap: 10, concurrency: 1 };

/** The layout of a list of so many servers in pages of a hundred. */
export const layoutOf = (total: number) => ({ fullPage: 100, total });

export async function until(condition: () => boolean): Promise<void> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  while (!condition() && !over.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
}

/** A simulated cloud, and one who lists its servers; pauses between attempts are over at once. */
export async function setUp(servers: number) {
  const clock = createFaultClock();
  const cloud = await simulate({ servers, now: clock.now });
  /** How each attempt ended. */
  const attempts: string[] = [];
  const transport = createTransport({
    clock,
    observer: { attempted: ({ code }) => void attempts.push(code), retrying: () => undefined },
    yieldToEventLoop: createYieldToEventLoop(),
    requestTimeoutMs,
    responseLimitBytes: 1e8,
    connections: 10,
    userAgent: 'test',
    tls: { insecureSkipVerify: false },
  });
  onTestFinished(() => transport.closeIdle());
  const { id, password } = exporterAccount;
  const issue = createIssuer({
    authUrl: cloud.authUrl,
    scope: { project: systemProject },
    transport,
    clock,
  });
  const tokens = createTokenSource({
    credential: { method: 'password', user: { id }, password: async () => password },
    issue,
    clock,
    observer: { loggingIn: () => undefined, loginFailed: () => undefined },
    log: silentLog,
  });
  const catalog = { interface: 'public', region: undefined };
  const query = [
    ['scope', 'system'],
    ['pending_delete', 'all'],
  ] as const;
  const { baseUrl } = cloud;
  const api = createPlatformApi({ transport, tokens, baseUrl, catalog, query, withMetadata: false });
  const readServer = createServerReader([]);

  function read(record: unknown) {
    const server = readServer(record);
    return typeof server === 'string' ? server : { ...server, mark: 0, telling: tellingOf(server) };
  }

  function createSink(): Kept {
    const ids: string[] = [];
    return {
      ids,
      rollCall: createRoll<Listed | Rejected>().begin(),
      add: (server) => void ids.push(server.id),
    };
  }

  return {
    clock,
    cloud,
    attempts,
    list: (plan: Partial<ListPlan> = {}, given: Given = {}) =>
      listServers<Server & Listed, Kept>({
        api,
        plan: { ...usual, ...plan },
        read,
        createSink,
        context: { deadline: Infinity },
        fields: [],
        memory: createSuspicionMemory(),
        ...given,
      }),
    /** What was asked for, in the order in which it came: offset and limit. */
    asked: () => cloud.journal.of('list').map(({ query }) => `${query['offset'] ?? 0}+${query['limit']}`),
    /** Until the platform has answered a few requests more: what was on its way to it has arrived by then. */
    async letArrive(): Promise<void> {
      for (let turn = 0; turn < 3; turn += 1) await fetch(`${cloud.baseUrl}/nothing`);
    },
  };
}
