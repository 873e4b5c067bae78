import { startClouds, type Clouds } from './clouds.ts';

/** A process of its own with a part of the simulated clouds. Each message is answered with one. */
export type Order =
  | { readonly order: 'start'; readonly plan: Parameters<typeof startClouds>[0] }
  | { readonly order: 'hang'; readonly names: readonly string[] }
  | { readonly order: 'release' };

let clouds: Clouds | undefined;

async function obey(order: Order): Promise<unknown> {
  if (order.order === 'start') clouds = await startClouds(order.plan);
  else if (order.order === 'hang') await clouds!.hang(order.names);
  else await clouds!.release();
  return order.order === 'start' ? clouds!.list : 'done';
}

process.on('message', (order: Order) => void obey(order).then((answer) => process.send!(answer)));
