/** Numbers and moments as a person reads them. */

const grouping = new Intl.NumberFormat('en-US');
const short = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3, useGrouping: false });

export function countOf(count: number): string {
  return grouping.format(count);
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countOf(count)} ${count === 1 ? one : many}`;
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

export function bytesOf(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value >= 1000 ? Math.round(value) : short.format(value)} ${sizes[step]}`;
}

export function secondsOf(seconds: number): string {
  return `${short.format(seconds)} s`;
}

export function momentOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
