import { isAscii } from 'node:buffer';

/** Gives undefined, which JSON cannot say, for a body that is not JSON. */
export type ParseJson = (body: Buffer) => unknown;

/** Below this the plain way costs nothing worth saving. */
const largeBytes = 65_536;
const highBits = 0x80808080 | 0;

/**
 * JSON.parse for large bodies, which are ASCII but for a name here and there. One such name would make Node 20 decode
 * the whole body five times slower, and keep it at two bytes a character. So names become \u escapes first.
 */
export function createJsonParser(): ParseJson {
  let scratch = Buffer.alloc(0);

  function asciiOf(body: Buffer): string {
    if (isAscii(body)) return body.toString('latin1');
    // Two bytes become six at worst; what is not used of it never becomes memory.
    if (scratch.length < body.length * 3) scratch = Buffer.allocUnsafe(body.length * 3);
    return scratch.toString('latin1', 0, writeAscii(body, scratch));
  }

  return (body) => {
    const isLarge = body.length >= largeBytes && body.byteOffset % 4 === 0;
    try {
      return JSON.parse(isLarge ? asciiOf(body) : body.toString('utf8'));
    } catch {
      return undefined;
    }
  };
}

/** Looks at sixteen bytes at a time; most of them are ASCII. */
function writeAscii(body: Buffer, into: Buffer): number {
  const words = new Int32Array(body.buffer, body.byteOffset, body.length >> 2);
  const lastBlock = words.length - 4;
  let copied = 0;
  let length = 0;
  let word = 0;
  for (; word <= lastBlock; word += 4) {
    const bits = words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!;
    if ((bits & highBits) !== 0) escapeUntil(word * 4 + 16);
  }
  escapeUntil(body.length);
  return length + body.copy(into, length, copied);

  function escapeUntil(end: number): void {
    for (let at = Math.max(copied, word * 4); at < end; at += 1) {
      if (body[at]! < 0x80) continue;
      length += body.copy(into, length, copied, at);
      copied = at;
      while (body[copied]! >= 0x80) copied += 1;
      length += into.write(escape(body.toString('utf8', at, copied)), length, 'latin1');
      at = copied;
    }
  }
}

function escape(text: string): string {
  let escaped = '';
  for (let index = 0; index < text.length; index += 1) {
    escaped += `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
