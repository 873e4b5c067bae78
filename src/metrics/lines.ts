import type { TextBlock } from '../inventory/snapshot.ts';
import type { TextMemory } from './text-memory.ts';

/** The lines of one family, written as bytes: as text they would be garbage several times before they are sent. */
export interface Lines {
  readonly name: Buffer;
  readonly memory: TextMemory;
  readonly chunks: Buffer[];
  series: number;
  /** What is not in memory yet, and how many bytes of it are used. */
  room: Buffer;
  used: number;
}

const chunkBytes = 16_384;
const mostDigits = 25;
const newLine = '\n'.charCodeAt(0);

export function linesOf(name: string, memory: TextMemory): Lines {
  return { name: Buffer.from(name), memory, chunks: [], series: 0, room: Buffer.alloc(0), used: 0 };
}

/** `labels` is what stands between the name and the number. Says whether the line filled a chunk. */
export function addLine(lines: Lines, labels: Uint8Array, value: number): boolean {
  const needed = lines.name.length + labels.length + mostDigits + 1;
  const isFull = lines.used > 0 && lines.used + needed > chunkBytes;
  if (isFull) endChunk(lines);
  if (lines.room.length - lines.used < needed) grow(lines, needed);
  const { room } = lines;
  let at = lines.used;
  room.set(lines.name, at);
  at += lines.name.length;
  room.set(labels, at);
  at += labels.length;
  const digits = formatNumber(value);
  for (let index = 0; index < digits.length; index += 1) room[at + index] = digits.charCodeAt(index);
  at += digits.length;
  room[at] = newLine;
  lines.used = at + 1;
  lines.series += 1;
  return isFull;
}

export function blockOf(lines: Lines): TextBlock {
  endChunk(lines);
  return { chunks: lines.chunks, series: lines.series };
}

function endChunk(lines: Lines): void {
  if (lines.used > 0) lines.chunks.push(lines.memory.write(lines.room.subarray(0, lines.used)));
  lines.used = 0;
}

/** Most families have a line or two, a few have thousands. */
function grow(lines: Lines, needed: number): void {
  const before = lines.room.subarray(0, lines.used);
  const enough = lines.used + needed;
  lines.room = Buffer.allocUnsafe(Math.max(enough, Math.min(4 * lines.room.length, chunkBytes)));
  lines.room.set(before);
}

export function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
