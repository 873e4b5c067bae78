import type { Format } from '../metrics/exposition.ts';

interface Accepted {
  readonly type: string;
  readonly quality: number;
}

function parseAccept(header: string): Accepted[] {
  return header.split(',').map((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

function qualityOf(accepted: readonly Accepted[], ...types: readonly string[]): number {
  return Math.max(0, ...accepted.filter(({ type }) => types.includes(type)).map(({ quality }) => quality));
}

/** OpenMetrics only for who asks for it by name and likes it no less; text for everybody else, browsers included. */
export function chooseFormat(accept: string | undefined): Format {
  const accepted = parseAccept(accept ?? '');
  const openmetrics = qualityOf(accepted, 'application/openmetrics-text');
  return openmetrics > 0 && openmetrics >= qualityOf(accepted, 'text/plain') ? 'openmetrics' : 'text';
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const accepted = parseAccept(acceptEncoding ?? '');
  const named = accepted.filter(({ type }) => type === 'gzip' || type === 'x-gzip');
  return named.length > 0 ? qualityOf(named, 'gzip', 'x-gzip') > 0 : qualityOf(accepted, '*') > 0;
}
