import { readFileSync } from 'node:fs';

type Json = Record<string, unknown>;

/** One recorded exchange with the real platform. Of a list, the records that were cut from it are left out. */
export function captured(name: string) {
  const [request, { start, headers, body }] = [read(`${name}.request.http`), read(`${name}.response.http`)];
  const [method = '', target = ''] = request.start.split(' ');
  const json = JSON.parse(body) as Json;
  const list = Object.values(json).find((value) => Array.isArray(value)) as unknown[] | undefined;
  const rows = (list ?? []).filter((row): row is Json => typeof row === 'object');
  const status = Number(start.split(' ')[1]);
  return { status, headers, body, json, rows, request: { method, target, body: request.body } };
}

function read(file: string): { start: string; headers: Record<string, string>; body: string } {
  const text = readFileSync(new URL(`../fixtures/captures/${file}`, import.meta.url), 'utf8');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [start = '', ...lines] = head.split(/\r?\n/);
  const headers = lines
    .map((line) => line.split(/:\s*(.*)/s))
    .map(([name = '', value = '']) => [name.toLowerCase(), value]);
  return { start, headers: Object.fromEntries(headers), body: rest.join('\n\n').trim() };
}
