import { createServer as createPlainServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Dialect } from './answer.ts';
import { createExchange, type Operate } from './exchange.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import type { Fleet } from './fleet/fleet.ts';
import { createHosts } from './hosts/hosts.ts';
import { createIdentity } from './identity/identity.ts';
import { createJournal, type Journal, type Operation } from './journal.ts';
import { createOperations, refuseUnknownPath } from './operations.ts';
import type { Hooks, Quirks } from './quirks.ts';
import type { Release } from './release.ts';
import { createServers } from './servers/servers.ts';
import { dayMs } from './timestamp.ts';
import { createTokens } from './identity/tokens.ts';
import { noCost, type PlatformCost } from './work/cost.ts';
import { createLedger, type Ledger } from './work/ledger.ts';
import { createWorkers } from './work/workers.ts';

export interface CloudPlan {
  readonly fleet: Fleet;
  readonly dialect?: Dialect;
  /** Of the platform's dialect. */
  readonly release?: Release;
  readonly port?: number;
  readonly host?: string;
  readonly now?: () => number;
  readonly tokenLifetimeSeconds?: number;
  readonly maximumPageSize?: number;
  readonly defaultPageSize?: number;
  /** Whether the list shows the recycle bin unasked; by default in the document's dialect only. */
  readonly showPendingDeleted?: boolean;
  /** Whether there is `GET /hosts`; by default on the platform, of which the document knows nothing. */
  readonly hosts?: boolean;
  /** When the account's password ends; by default in 90 days by the document, and never by the platform. */
  readonly passwordExpiresAt?: number;
  readonly platformCost?: PlatformCost;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}

export interface SimulatedCloud {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly port: number;
  readonly fleet: Fleet;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly hooks: Hooks;
  readonly quirks: Quirks;
  readonly issuedTokens: number;
  readonly latestToken: string | undefined;
  revokeTokens(): void;
  setPassword(password: string): void;
  /** A CAS ticket that opens one login. */
  issueTicket(): string;
  /** Breaks every connection, whatever still hangs on it. */
  close(): Promise<void>;
}

export async function startSimulatedCloud(plan: CloudPlan): Promise<SimulatedCloud> {
  const { fleet, dialect = 'document', release = '3.10', now = Date.now, host = '127.0.0.1' } = plan;
  const sizes = {
    defaultPageSize: plan.defaultPageSize ?? 2048,
    maximumPageSize: plan.maximumPageSize ?? 2048,
  };
  const quirks: Quirks = {};
  const hooks: Hooks = {};
  const { journal, openEntry } = createJournal();
  const { faults, faultFor } = createFaults();
  const tokens = createTokens({ now, lifetimeSeconds: plan.tokenLifetimeSeconds ?? 86_400 });
  const identity = createIdentity({
    dialect,
    tokens,
    projects: fleet.projects,
    addresses: () => addresses,
    passwordExpiresAtMs: plan.passwordExpiresAt ?? (dialect === 'document' ? now() + 90 * dayMs : undefined),
    rewriteBody: (body) => (quirks.rewriteToken === undefined ? body : quirks.rewriteToken({ ...body })),
  });
  const servers = createServers({
    fleet,
    dialect,
    release,
    sizes,
    quirks,
    showPendingDeleted: plan.showPendingDeleted ?? dialect === 'document',
  });
  const { ledger, enter } = createLedger();
  const work = createWorkers(plan.platformCost ?? noCost, enter);
  const hasHosts = plan.hosts ?? dialect === 'platform';
  const { login, list, show, listHosts, showHost } = createOperations({
    dialect,
    release,
    identity,
    servers,
    hosts: hasHosts ? createHosts({ fleet, dialect, release, sizes, quirks }) : undefined,
    tokens,
    hooks,
    work,
    enter,
  });
  const exchange = createExchange({ dialect, now, sizes, tokens, faultFor, openEntry });
  const serve =
    (operation: Operation, operate: Operate): express.RequestHandler =>
    (request, response) =>
      exchange(request, response, operation, operate);

  const app = express().disable('x-powered-by');
  app.use(express.text({ type: () => true, limit: '1mb' }));
  app.all('/identity/v3/auth/tokens', serve('login', login));
  app.all('/compute/servers', serve('list', list));
  app.all('/compute/servers/:id', serve('show', show));
  app.all('/compute/hosts', serve('hosts', listHosts));
  app.all('/compute/hosts/:id', serve('hosts', showHost));
  app.use(serve('other', refuseUnknownPath));

  const server = plan.tls === undefined ? createPlainServer(app) : createSecureServer(plan.tls, app);
  /** The real platform announces no keep-alive limit; whoever wants the connection closed sets the fault. */
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(plan.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `${plan.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
  const addresses = { authUrl: `${origin}/identity`, baseUrl: `${origin}/compute` };

  return {
    ...addresses,
    port,
    fleet,
    journal,
    ledger,
    faults,
    hooks,
    quirks,
    get issuedTokens() {
      return tokens.issued.length;
    },
    get latestToken() {
      return tokens.issued.at(-1)?.id;
    },
    revokeTokens: () => tokens.revokeAll(),
    setPassword: (password) => identity.setPassword(password),
    issueTicket: () => identity.issueTicket(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
