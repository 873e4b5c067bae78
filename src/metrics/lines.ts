import type { TextBlock } from '../inventory/snapshot.ts';
import type { Chunk, TextChunks } from './text-chunks.ts';

/** The lines of one family, written as bytes: as text they would be garbage several times before they are sent. */
export interface Lines {
  readonly name: Buffer;
  readonly memory: TextChunks;
  readonly chunks: Chunk[];
  /** The last one of them, which is being filled. */
  chunk: Chunk | undefined;
  rows: number;
  series: number;
  /** The text before this one, and how much of it was passed by. */
  readonly before: readonly Chunk[];
  passed: number;
}

const mostDigits = 25;
const newLine = '\n'.charCodeAt(0);

export function linesOf(name: string, memory: TextChunks, before: readonly Chunk[] = []): Lines {
  const empty = { chunks: [], chunk: undefined, rows: 0, series: 0, passed: 0 };
  return { name: Buffer.from(name), memory, before, ...empty };
}

/** `labels` is what stands between the name and the number. */
export function writeRow(lines: Lines, labels: Uint8Array, value: number | undefined): void {
  if (value === undefined) return endRow(lines, roomFor(lines, 0), 0);
  const chunk = roomFor(lines, lines.name.length + labels.length + mostDigits + 1);
  const { bytes, used } = chunk;
  let at = used;
  bytes.set(lines.name, at);
  at += lines.name.length;
  bytes.set(labels, at);
  at += labels.length;
  const digits = formatNumber(value);
  for (let index = 0; index < digits.length; index += 1) bytes[at + index] = digits.charCodeAt(index);
  at += digits.length;
  bytes[at] = newLine;
  chunk.used = at + 1;
  endRow(lines, chunk, chunk.used - used);
}

/** Copies rows of the text before this one; `start` is never before rows that were copied already. */
export function copyRows(lines: Lines, start: number, end: number): void {
  let row = start;
  while (row < end) {
    const source = chunkOf(lines, row);
    const last = Math.min(end, source.firstRow + source.rows);
    copyFrom(lines, source, row - source.firstRow, last - source.firstRow);
    row = last;
  }
}

export function blockOf(lines: Lines): TextBlock {
  passChunks(lines, lines.before.length);
  const filled = lines.chunks.filter(({ used }) => used > 0);
  return { chunks: filled.map(({ bytes, used }) => bytes.subarray(0, used)), series: lines.series };
}

function copyFrom(lines: Lines, { bytes, ends }: Chunk, first: number, last: number): void {
  let index = first;
  let start = first === 0 ? 0 : ends[first - 1]!;
  while (index < last) {
    const chunk = roomFor(lines, ends[index]! - start);
    const room = chunk.bytes.length - chunk.used;
    const from = start;
    const shift = chunk.used - from;
    while (index < last && ends[index]! - from <= room) {
      const end = ends[index]!;
      chunk.used = end + shift;
      endRow(lines, chunk, end - start);
      start = end;
      index += 1;
    }
    bytes.copy(chunk.bytes, from + shift, from, start);
  }
}

function chunkOf(lines: Lines, row: number): Chunk {
  let index = lines.passed;
  while (lines.before[index]!.firstRow + lines.before[index]!.rows <= row) index += 1;
  passChunks(lines, index);
  return lines.before[index]!;
}

/** Their memory may serve what comes next. */
function passChunks(lines: Lines, count: number): void {
  for (; lines.passed < count; lines.passed += 1) lines.memory.isCopied(lines.before[lines.passed]!);
}

function roomFor(lines: Lines, bytes: number): Chunk {
  const { chunk } = lines;
  if (chunk && chunk.bytes.length - chunk.used >= bytes) return chunk;
  const fresh = lines.memory.take(bytes, lines.rows);
  lines.chunks.push(fresh);
  lines.chunk = fresh;
  return fresh;
}

function endRow(lines: Lines, chunk: Chunk, bytes: number): void {
  chunk.ends[chunk.rows] = chunk.used;
  chunk.rows += 1;
  lines.rows += 1;
  if (bytes > 0) lines.series += 1;
}

export function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
