import { isRecord, momentOf, quantityOf, text, wordOf } from './server.ts';

/** What is synchronised of one subscription in one region of another cloud. */
export interface ListedSync {
  /** The key of the record, a number, so that texts are in its order. */
  readonly id: string;
  readonly account: string;
  readonly subscription: string;
  readonly region: string;
  /** Undefined where the platform does not say. */
  readonly isEnabled: boolean | undefined;
  /** When the latest one ended, or began where it has not ended; undefined where there was none. */
  readonly syncedAt: number | undefined;
}

const longestKey = String(Number.MAX_SAFE_INTEGER).length;

/** Undefined for a record without its key. */
export function readSync(record: unknown): ListedSync | undefined {
  if (!isRecord(record)) return undefined;
  const key = quantityOf(record['row_id']);
  if (key === undefined || !Number.isInteger(key)) return undefined;
  // While one runs there is no end, or that of the one before.
  const [began, ended] = [momentOf(record['last_sync']), momentOf(record['last_sync_end_at'])];
  return {
    id: String(key).padStart(longestKey, '0'),
    account: text(record['cloudaccount']),
    subscription: text(record['cloudprovider']),
    region: text(record['region']) || text(record['cloudregion']),
    isEnabled: wordOf(record['enabled']),
    syncedAt: Math.max(began ?? 0, ended ?? 0) || undefined,
  };
}
