const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],');

/** Where the value that starts at `start` in a list ends: at the comma or bracket behind it. One look at each byte. */
export function findRecordEnd(body: Buffer, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (depth === 0 && (byte === comma || byte === closeBracket)) return at;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return undefined;
}
