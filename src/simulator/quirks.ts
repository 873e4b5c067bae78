import type { Page } from './lists/paging.ts';

type Maybe<Value> = Value | undefined;

/** Lies that a test may have the platform tell, changeable while it runs. */
export interface Quirks {
  /** What the list says as `total`; undefined leaves the key out. */
  total?: Maybe<(real: number) => unknown>;
  /** The same of the list of hosts. */
  hostTotal?: Maybe<(real: number) => unknown>;
  ignoreOffset?: Maybe<boolean>;
  /** From now on no page is longer, whatever is asked for. */
  longestPage?: Maybe<number>;
  /** Which of the parameters of a list it takes; the others are ignored in silence. */
  takeParameters?: Maybe<(query: URLSearchParams) => URLSearchParams>;
  /** What is sent in place of a server; undefined leaves the record out. */
  rewriteServer?: Maybe<(server: Record<string, unknown>) => unknown>;
  rewriteToken?: Maybe<(body: Record<string, unknown>) => unknown>;
}

type PageHook = Maybe<(page: Page, query: URLSearchParams) => void | Promise<void>>;

/** Called before the answer is made; what they return is waited for, so that a test can hold a page back. */
export interface Hooks {
  beforePage?: PageHook;
  /** Between the count and the rows, which the platform reads one after the other: `total` is then of before. */
  afterCount?: PageHook;
  beforeHosts?: PageHook;
  beforeLogin?: Maybe<() => void | Promise<void>>;
}
