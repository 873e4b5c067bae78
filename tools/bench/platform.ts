import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { compiled } from './program.ts';
import type { Bill, CloudAddress, Question } from './simulated-platform.ts';

export interface Platform {
  cloud(size: { servers: number; slow?: boolean }): Promise<CloudAddress>;
  /** The offsets of the pages that were asked of this cloud since the last time. */
  takePages(cloud: CloudAddress): Promise<readonly number[]>;
  /** One that speaks as the running platform does, changes when told, and writes down what it spends. It has at least so many hosts. */
  liveCloud(servers: number, hosts?: number): Promise<CloudAddress>;
  change(cloud: CloudAddress, oneIn: number): Promise<number>;
  takeBill(cloud: CloudAddress): Promise<Bill>;
  stop(): void;
}

export function startPlatform(): Platform {
  const child = fork(compiled('simulated-platform.js'), { execArgv: ['--max-old-space-size=6144'] });
  // A platform is another machine; here it must not take the processor from what is measured.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);

  async function ask<Answer>(question: Question): Promise<Answer> {
    child.send(question);
    const [answer] = (await once(child, 'message')) as [Answer];
    return answer;
  }

  return {
    cloud: ({ servers, slow = false }) => ask<CloudAddress>({ ask: 'start', servers, slow }),
    takePages: ({ authUrl }) => ask<number[]>({ ask: 'pages', authUrl }),
    liveCloud: (servers, hosts = 0) => ask<CloudAddress>({ ask: 'live', servers, hosts }),
    change: ({ authUrl }, oneIn) => ask<number>({ ask: 'change', authUrl, oneIn }),
    takeBill: ({ authUrl }) => ask<Bill>({ ask: 'bill', authUrl }),
    stop: () => child.kill(),
  };
}
