import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { compiled } from '../bench/program.ts';
import type { Order } from './clouds-program.ts';
import type { CloudSeat, Clouds } from './clouds.ts';

/** The clouds in a few processes of their own, which stand for other machines: what is measured goes first. */
export async function startCloudProcesses(plan: {
  readonly count: number;
  readonly servers: number;
  readonly processes: number;
}): Promise<Clouds> {
  const { count, servers, processes } = plan;
  const children: ChildProcess[] = [];
  const list: CloudSeat[] = [];
  const share = Math.ceil(count / processes);
  for (let first = 0; first < count; first += share) {
    const child = fork(compiled('../../tools/scale/clouds-program.js'), {
      execArgv: ['--max-old-space-size=8192'],
    });
    setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
    children.push(child);
    const seats = await ask<CloudSeat[]>(child, {
      order: 'start',
      plan: { count: Math.min(share, count - first), servers, first },
    });
    list.push(...seats);
  }
  const tellAll = async (order: Order) => {
    await Promise.all(children.map((child) => ask(child, order)));
  };
  return {
    list,
    hang: (names) => tellAll({ order: 'hang', names }),
    release: () => tellAll({ order: 'release' }),
    async stop() {
      for (const child of children) child.kill();
    },
  };
}

async function ask<Answer>(child: ChildProcess, order: Order): Promise<Answer> {
  child.send(order);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}
