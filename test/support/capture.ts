import { readFileSync } from 'node:fs';

export interface Capture {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One recorded answer of the real platform. */
export function captured(name: string): Capture {
  const { start, headers, body } = readExchange(`${name}.response.http`);
  return { status: Number(start.split(' ')[1]), headers, body };
}

export function capturedRequestBody(name: string): unknown {
  return JSON.parse(readExchange(`${name}.request.http`).body);
}

function readExchange(file: string): { start: string; headers: Record<string, string>; body: string } {
  const text = readFileSync(new URL(`../fixtures/captures/${file}`, import.meta.url), 'utf8');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [start = '', ...lines] = head.split(/\r?\n/);
  const headers = lines
    .map((line) => line.split(/:\s*(.*)/s))
    .map(([name = '', value = '']) => [name.toLowerCase(), value]);
  return { start, headers: Object.fromEntries(headers), body: rest.join('\n\n') };
}
