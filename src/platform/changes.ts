import { Failure } from '../transport/failure.ts';
import type { PlatformApi, ReadContext } from './api.ts';
import { listServers, type ListPlan } from './list-servers.ts';
import type { OrdinaryList } from './ordinary-list.ts';
import { createPlainReader, plainFields, secondOf, type Plain } from './plain-server.ts';
import type { Rejected } from './register.ts';
import { createRoll } from './roll.ts';
import type { Rejection } from './server.ts';
import { toldInFull, type Listed, type SuspicionMemory } from './suspicion.ts';

/** What has become of the servers that changed. */
export interface Changes {
  /** By id; undefined if the ordinary list does not show it any more. */
  readonly rows: ReadonlyMap<string, Plain | undefined>;
  /** When each of them changed, in seconds of the platform's clock. */
  readonly times: readonly number[];
  readonly pages: number;
}

/** Why a list of changes cannot be used. */
export interface Doubt {
  readonly doubt: string;
  /** What the platform does not heed, if that is why: it will not heed it the next time either. */
  readonly unheeded?: string;
  /** It is true enough, but longer than it is worth. */
  readonly isLong?: boolean;
}

interface Row extends Listed {
  readonly plain: Plain | Rejection | undefined;
  readonly changedAt: number;
}

/** The platform's largest page; a record without details is small. */
const rowsPerPage = 2048;
const changeFields = [...plainFields, 'deleted', 'deleted_at', 'is_system', 'is_emulated'];

/** Platforms drop a filter that they cannot read, and send everything: only this form is known to be read. */
function since(column: string, second: number): string {
  return `${column}.ge("${new Date(second * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}")`;
}

/** Asks for what was changed or deleted since that second. */
export async function readChanges(input: {
  readonly api: PlatformApi;
  readonly plan: ListPlan;
  readonly memory: SuspicionMemory;
  readonly context: ReadContext;
  readonly ordinary: OrdinaryList;
  readonly share: (text: string) => string;
  readonly second: number;
  /** How many servers there are. */
  readonly servers: number;
}): Promise<Changes | Doubt> {
  const { ordinary, plan, second } = input;
  const readPlain = createPlainReader(input.share);
  /** Whether the filter was dropped: then all servers come. */
  let isOpen = false;
  /** Whether the whole list would be cheaper. */
  let isLong = false;
  const mostRows = Math.max(rowsPerPage, input.servers / 2);

  function read(record: unknown): Row | Rejection {
    const plain = readPlain(record);
    if (plain === 'not_an_object' || plain === 'no_id') return plain;
    const raw = record as Readonly<Record<string, unknown>>;
    const changedAt = secondOf(raw['updated_at']);
    if (changedAt < second && secondOf(raw['deleted_at']) < second) isOpen = true;
    const id = raw['id'] as string;
    return { id, mark: 0, telling: toldInFull, plain: ordinary.shows(raw) ? plain : undefined, changedAt };
  }

  function createSink() {
    const rows: Row[] = [];
    return {
      rollCall: createRoll<Row | Rejected>().begin(),
      rows,
      add(row: Row): void {
        rows.push(row);
        isLong ||= rows.length > mostRows;
        if (isOpen || isLong) throw ofNoUse();
      },
    };
  }

  const request = {
    ...input,
    plan: { ...plan, pageSize: Math.max(plan.pageSize, rowsPerPage) },
    details: false,
    fields: changeFields,
    filters: [since('updated_at', second), since('deleted_at', second)],
    parameters: [
      ['filter_any', 'true'],
      ...(ordinary.isOfEverybody ? [['delete', 'all'] as const] : []),
    ] as const,
    read,
    createSink,
  };
  const list = await listServers(request).catch((error: unknown) => {
    if (isOpen || (error instanceof Failure && error.reason === 'truncated')) return undefined;
    throw error;
  });
  if (isOpen) return { doubt: 'older changes than were asked for came', unheeded: 'filter=updated_at.ge(…)' };
  if (isLong) return { doubt: 'there are too many changes', isLong };
  if (!list) return { doubt: 'the list of changes is short' };
  const { rows } = list.sink;
  const nameless = [...list.rejected.values()].reduce((sum, count) => sum + count, 0);
  if (nameless > 0 || rows.some(({ plain }) => typeof plain === 'string'))
    return { doubt: 'a record among the changes cannot be counted' };
  if (rows.length < (list.reported ?? 0)) return { doubt: 'the list of changes is short' };
  return {
    rows: new Map(rows.map(({ id, plain }) => [id, plain as Plain | undefined])),
    times: rows.map(({ changedAt }) => changedAt),
    pages: list.pages,
  };
}

/** Ends the reading of a list. */
function ofNoUse(): Failure {
  return new Failure('truncated', 'GET /servers: the list of changes is of no use', {
    operation: 'list_servers',
  });
}

/** How many servers the ordinary list has, and the platform's clock in milliseconds; undefined if it does not say. */
export async function readTotal(input: {
  readonly api: PlatformApi;
  readonly context: ReadContext;
}): Promise<{ readonly total: number | undefined; readonly answeredAt: number | undefined }> {
  const request = { offset: 0, limit: 1, fields: ['id'], details: false };
  const { records, total, answeredAt } = await input.api.listPage(request, input.context, () => undefined);
  return { total: total ?? (records.length === 0 ? 0 : undefined), answeredAt };
}
