import type { Log } from '../../log.ts';
import type { WebObserver } from './source.ts';

export function createWebLog(file: string, log: Log): WebObserver {
  return {
    changed: () => log.info({ file }, 'web configuration changed'),
    refused: (problems) => log.error({ problems }, 'web configuration not changed, the old one stays'),
    loosened(words, isInForce) {
      if (isInForce) log.warn({ file, lost: words }, 'web configuration asks for less than before');
      else
        log.warn(
          { file, lost: words },
          'web configuration would ask for less; the old one stays unless the new one does',
        );
    },
  };
}
