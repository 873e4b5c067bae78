import { describe, expect, it } from 'vitest';
import { renderHeader } from '../../src/metrics/exposition.ts';
import { createServerText } from '../../src/metrics/server-text.ts';
import { serverFamilies } from '../../src/metrics/servers.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { parseExposition } from '../support/exposition.ts';

const settings = {
  cloud: 'Wolke "☁"',
  extraLabels: [],
  bytesPer: { memory: 1, disk: 1 },
  seriesLimit: Infinity,
};
const read = createServerReader([]);

function server(id: string, more: object = {}): Server {
  const record = { id, status: 'running', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1, ...more };
  return read(record) as Server;
}

type Blocks = ReturnType<ReturnType<typeof createServerText>['finish']>;

function linesOf(blocks: Blocks, name: string): string[] {
  const bytes = Buffer.concat([
    ...(blocks[serverFamilies.findIndex((family) => family.name === name)]?.chunks ?? []),
  ]);
  return bytes.toString().split('\n').slice(0, -1);
}

describe('the text of single servers', () => {
  it('is in the order of the platform, whichever page came first', () => {
    const text = createServerText(settings);
    for (const page of [4000, 0, 2000])
      for (let row = 0; row < 2000; row += 1) text.add(server(`s-${page + row}`), page);
    const ids = linesOf(text.finish(), 'cloud_server_vcpus').map((line) => /id="s-(\d+)"/.exec(line)?.[1]);
    expect(ids).toEqual(Array.from({ length: 6000 }, (_, index) => String(index)));
  });

  it('tells each server its own number, however many there are', () => {
    const text = createServerText(settings);
    for (let row = 0; row < 3000; row += 1) text.add(server(`s-${row}`, { vmem_size: row % 1500 }), 0);
    const [first, ...others] = linesOf(text.finish(), 'cloud_server_memory_bytes');
    expect(first).toBe('cloud_server_memory_bytes{cloud="Wolke \\"☁\\"",id="s-0"} 0');
    expect(others.map((line) => Number(line.split(' ').at(-1)))).toEqual(
      Array.from({ length: 2999 }, (_, index) => (index + 1) % 1500),
    );
  });

  it('brings every label back as it was, wide letters and quotes too', () => {
    const text = createServerText(settings);
    const name = '数据库 "eins"\\\n';
    for (let row = 0; row < 500; row += 1)
      text.add(server(`ü"${row}`, { name, status: `odd "${row % 7}"` }), 0);
    const blocks = text.finish();
    const families = serverFamilies.slice(0, 2);
    const bytes = families.flatMap((family, index) => [
      renderHeader(family, 'text'),
      ...blocks[index]!.chunks,
    ]);
    const parsed = parseExposition(Buffer.concat(bytes).toString());
    const info = parsed.of('cloud_server_info').map(({ labels }) => [labels['id'], labels['name']]);
    expect(info).toEqual(Array.from({ length: 500 }, (_, row) => [`ü"${row}`, name]));
    const statuses = parsed.of('cloud_server_status').map(({ labels }) => labels['status']);
    expect(statuses).toEqual(Array.from({ length: 500 }, (_, row) => `odd "${row % 7}"`));
    expect(new Set(parsed.of('cloud_server_info').map(({ labels }) => labels['cloud']))).toEqual(
      new Set([settings.cloud]),
    );
  });

  it('leaves families out whole when no budget could hold them, the last first', () => {
    const text = createServerText({ ...settings, seriesLimit: 250 });
    for (let row = 0; row < 100; row += 1) text.add(server(`s-${row}`), 0);
    const blocks = text.finish();
    expect(blocks.map(({ series }) => series)).toEqual([100, 100]);
  });
});
