import { Refusal, type Dialect } from '../answer.ts';

export interface PageSizes {
  readonly defaultPageSize: number;
  readonly maximumPageSize: number;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export function readPage(query: URLSearchParams, dialect: Dialect, sizes: PageSizes): Page {
  const asked = readInteger(query, 'limit', dialect);
  const offset = readInteger(query, 'offset', dialect) ?? 0;
  const limit = asked === undefined || asked === 0 ? sizes.defaultPageSize : asked;
  return { offset: Math.max(0, offset), limit: limit < 0 ? sizes.maximumPageSize : limit };
}

/** The running platform cuts a limit above its maximum only when there is more to send than the maximum. */
export function effectiveLimit(page: Page, matching: number, dialect: Dialect, sizes: PageSizes): number {
  const cut = dialect === 'document' || matching > sizes.maximumPageSize;
  return cut ? Math.min(page.limit, sizes.maximumPageSize) : page.limit;
}

/** Counted from 0, and without complaint: it serves to find the page that a fault is meant for. */
export function pageNumber(query: URLSearchParams, { defaultPageSize, maximumPageSize }: PageSizes): number {
  const limit = Math.min(Number(query.get('limit')) || defaultPageSize, maximumPageSize);
  return Math.round(Number(query.get('offset') ?? 0) / limit);
}

export function readBoolean(query: URLSearchParams, name: string, dialect: Dialect): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const strict = dialect === 'document';
  if (strict && text !== 'true' && text !== 'false') throw unreadable(name, text, dialect);
  return text === 'true' || text === '1';
}

/** A repeated key, or numbered ones (`field.0=…`); with a comma it is one value. */
export function readList(query: URLSearchParams, name: string): string[] {
  const numbered = [...query].filter(
    ([key]) => key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1)),
  );
  return [...query.getAll(name), ...numbered.map(([, value]) => value)].filter((value) => value !== '');
}

function readInteger(query: URLSearchParams, name: string, dialect: Dialect): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const readable = dialect === 'document' ? /^\d+$/ : /^-?\d+$/;
  if (!readable.test(text)) throw unreadable(name, text, dialect);
  return Number(text);
}

function unreadable(name: string, text: string, dialect: Dialect): Refusal {
  return dialect === 'document'
    ? new Refusal(400, 'InputParameterError', `invalid ${name}: ${text}`)
    : new Refusal(500, 'UnclassifiedError', `setStructFieldAt ${name}: strconv.ParseInt: parsing "${text}"`);
}
