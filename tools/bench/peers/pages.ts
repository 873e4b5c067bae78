import { Agent, get } from 'node:http';

export interface Task {
  readonly baseUrl: string;
  readonly token: string;
  readonly pageSize: number;
  readonly concurrency: number;
  readonly perServer: boolean;
}

export function readTask(environment: NodeJS.ProcessEnv): Task {
  return {
    baseUrl: environment['BASE_URL'] ?? '',
    token: environment['TOKEN'] ?? '',
    pageSize: Number(environment['PAGE_SIZE']),
    concurrency: Number(environment['CONCURRENCY']),
    perServer: environment['PER_SERVER'] === 'true',
  };
}

/** Reads the first page alone and the others in parallel; `take` says what `total` the page told. */
export async function downloadPages(task: Task, take: (body: Buffer) => { total: number }): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.concurrency });
  const { total } = take(await download(task, 0, agent));
  let next = task.pageSize;
  const workers = Array.from({ length: task.concurrency }, async () => {
    while (next < total) {
      const offset = next;
      next += task.pageSize;
      take(await download(task, offset, agent));
    }
  });
  await Promise.all(workers);
  agent.destroy();
}

const everything = '&scope=system&pending_delete=all';

function download({ baseUrl, token, pageSize }: Task, offset: number, agent: Agent): Promise<Buffer> {
  const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };
  const url = `${baseUrl}/servers?details=true&with_meta=true&limit=${pageSize}&offset=${offset}${everything}`;
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (response) => {
      const body = Buffer.allocUnsafe(Number(response.headers['content-length']));
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.copy(body, length);
      });
      response.on('end', () => resolve(body)).on('error', reject);
    });
    request.on('error', reject);
  });
}
