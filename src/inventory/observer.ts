import type { LoginObserver } from '../identity/token.ts';
import type { RequestObserver } from '../transport/request.ts';
import type { CollectionObserver } from './collector.ts';

/** Is told what happens in one cloud, so that the rooms where it happens know no metric. */
export type CloudObserver = RequestObserver & LoginObserver & CollectionObserver;
