import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { parseJson, type ParseBody } from '../transport/json.ts';

/** So much is parsed within a few milliseconds; then others have their turn. */
const sliceBytes = 262_144;
/** So often may the end of a record be guessed wrong before the rest of a page is parsed as one piece. */
const missesPerPage = 20;

const listOpening = Buffer.from('"servers":[{"');
const keyLetters = 4;
const [openBracket, closeBracket, comma] = Buffer.from('[],');

/**
 * Parses a page record by record. `take` takes what it needs of each, and the rest is forgotten before the garbage
 * collector would move it. The answer is the page as JSON.parse would give it, but with what was taken in place of the
 * records.
 *
 * A record seems to end where `},{"` and the first letters of the first record follow. What stands before such a place
 * within a record is no JSON; then the record goes on to the next such place.
 */
export function createPageParser<Item>(
  take: (record: unknown) => Item,
  pause: () => Promise<void> = yieldToEventLoop,
): ParseBody {
  return async (body) => {
    const items: Item[] = [];
    const first = findFirstRecord(body);
    let start = first;
    let sliceEndsAt = first + sliceBytes;
    let misses = 0;
    for (const end of findRecordEnds(body, first)) {
      const records = parseJson(textBetween(body, start, end));
      if (Array.isArray(records)) {
        for (const record of records) items.push(take(record));
        start = end + 1;
      } else {
        misses += 1;
        if (misses > missesPerPage) break;
      }
      if (start < sliceEndsAt) continue;
      await pause();
      sliceEndsAt = start + sliceBytes;
    }
    const rest = parseJson(body.toString('utf8', 0, first) + body.toString('utf8', start));
    if (typeof rest !== 'object' || rest === null || !('servers' in rest)) return rest;
    if (!Array.isArray(rest.servers)) return rest;
    for (const record of rest.servers) items.push(take(record));
    return { ...rest, servers: items };
  };
}

/** Where the first record begins; 0 if the page does not look as usual, and is better parsed as one piece. */
function findFirstRecord(body: Buffer): number {
  const opening = body.indexOf(listOpening);
  const isOutermost = opening > 0 && /^\{[^[{]*$/.test(body.toString('latin1', 0, opening));
  return isOutermost ? opening + listOpening.indexOf('{') : 0;
}

/** Ends of all but the last record; one that begins with another key is found together with the one before. */
function* findRecordEnds(body: Buffer, first: number): Generator<number> {
  if (first === 0) return;
  const separator = Buffer.concat([
    Buffer.from('},'),
    body.subarray(first, first + '{"'.length + keyLetters),
  ]);
  for (let at = body.indexOf(separator, first); at > 0; at = body.indexOf(separator, at + 1)) yield at + 1;
}

/** As a list, by turning the commas around it into brackets: gluing brackets to its text would copy every page. */
function textBetween(body: Buffer, start: number, end: number): string {
  body[start - 1] = openBracket!;
  body[end] = closeBracket!;
  const text = body.toString('utf8', start - 1, end + 1);
  body[end] = comma!;
  return text;
}
