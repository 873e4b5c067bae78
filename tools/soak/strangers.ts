import { setTimeout as delay } from 'node:timers/promises';
import { createScraper, type Login } from './scraper.ts';

export interface Strangers {
  /** Guesses until it is told to end, and returns how many there were. */
  end(): Promise<{ readonly guesses: number; readonly letIn: number }>;
}

/** Slow enough that the one thread of the soak has time for its scrapes. */
const pauseMs = 25;

/** Two who try passwords, each a new one every time. */
export function letGuess(url: string, loginOf: (number: number) => Login): Strangers {
  const over = new AbortController();
  let guesses = 0;
  let letIn = 0;

  async function guess(): Promise<void> {
    while (!over.signal.aborted) {
      guesses += 1;
      const stranger = createScraper(url, loginOf(guesses));
      const status = await stranger.statusOf('/-/healthy');
      stranger.end();
      if (status !== 401 && status !== 503) letIn += 1;
      await delay(pauseMs);
    }
  }

  const both = Promise.all([guess(), guess()]);
  return {
    async end() {
      over.abort();
      await both;
      return { guesses, letIn };
    },
  };
}
