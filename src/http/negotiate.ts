import type { Format } from '../metrics/exposition.ts';

interface Accepted {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function parseAccept(header: string): Accepted[] {
  return header.split(',').map((item) => {
    const [type = '', ...rest] = item.split(';').map((part) => part.trim().toLowerCase());
    const parameters = new Map(rest.map((part) => part.split(/\s*=\s*/, 2) as [string, string]));
    const quality = parameters.get('q');
    return { type, parameters, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

function qualityOf(accepted: readonly Accepted[], ...types: readonly string[]): number {
  return Math.max(0, ...accepted.filter(({ type }) => types.includes(type)).map(({ quality }) => quality));
}

/** What is written, and how its content type calls it. */
export interface Exposition {
  readonly format: Format;
  readonly type: string;
}

/** The versions that are spoken; what no version is asked of gets the first. */
const versions: Readonly<Record<string, { format: Format; versions: readonly string[] }>> = {
  'application/openmetrics-text': { format: 'openmetrics', versions: ['1.0.0', '0.0.1'] },
  'text/plain': { format: 'text', versions: ['0.0.4', '1.0.0'] },
};

/** With each of these our names stay as they are; `dots` would double every underscore. */
const escapings: readonly string[] = ['underscores', 'allow-utf-8', 'values'];

const lastResort: Exposition = { format: 'text', type: 'text/plain; version=0.0.4; charset=utf-8' };

/**
 * The format that is liked best of those that are named. OpenMetrics wins a tie, text 0.0.4 is for everybody else,
 * browsers included.
 */
export function negotiate(accept: string | undefined): Exposition {
  const liked = parseAccept(accept ?? '').flatMap((item) => {
    const known = Object.hasOwn(versions, item.type) ? versions[item.type] : undefined;
    const version = item.parameters.get('version') ?? known?.versions[0];
    if (!known || version === undefined || !known.versions.includes(version) || item.quality <= 0) return [];
    return [{ ...item, version, format: known.format }];
  });
  const [best] = liked.toSorted(
    (a, b) =>
      b.quality - a.quality || Number(b.format === 'openmetrics') - Number(a.format === 'openmetrics'),
  );
  if (!best) return lastResort;
  const asked = best.parameters.get('escaping');
  const escaping = escapings.find((scheme) => scheme === asked) ?? escapings[0];
  const suffix = best.version === '1.0.0' ? `; escaping=${escaping}` : '';
  return {
    format: best.format,
    type: `${best.type}; version=${best.version}; charset=utf-8${suffix}`,
  };
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const accepted = parseAccept(acceptEncoding ?? '');
  const named = accepted.filter(({ type }) => type === 'gzip' || type === 'x-gzip');
  return named.length > 0 ? qualityOf(named, 'gzip', 'x-gzip') > 0 : qualityOf(accepted, '*') > 0;
}
