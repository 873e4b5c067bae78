import type { Server } from '../platform/server.ts';
import type { ServerWriter, TextBlock } from '../inventory/snapshot.ts';
import { mayFit } from './budget.ts';
import { escapeLabel } from './exposition.ts';
import { formatNumber } from './lines.ts';
import { createTextMemory } from './text-memory.ts';
import { serverFamilies, type ServerFamily, type ServerSettings } from './servers.ts';

/** Text of four times this length took about a sixth more CPU to put together. */
const chunkLength = 16_384;

/**
 * Writes the lines of single servers while these arrive, one block for each family, in the platform's order of
 * servers. The text is kept instead of the servers: the garbage collector would look at a large fleet of small
 * objects again and again.
 */
export function createServerText(
  settings: ServerSettings & { readonly seriesLimit: number },
  families: readonly ServerFamily[] = serverFamilies,
): ServerWriter {
  let buffers = families.map((family) => emptyBuffer(family, settings));
  const memory = createTextMemory();
  let servers = 0;
  let page = 0;

  function cut(buffer: FamilyBuffer, offset: number): void {
    if (buffer.text === buffer.opening) return;
    const bytes = memory.write(buffer.text);
    buffer.pieces.push({ offset, bytes: bytes.subarray(0, -Buffer.byteLength(buffer.opening)) });
    buffer.text = buffer.opening;
  }

  function endPage(): void {
    for (const buffer of buffers) cut(buffer, page);
  }

  return {
    add(server, offset) {
      if (offset !== page) endPage();
      page = offset;
      servers += 1;
      if (!mayFit(buffers.length, servers, settings.seriesLimit)) buffers = buffers.slice(0, -1);
      const id = escapeLabel(server.id);
      for (const buffer of buffers) {
        const value = buffer.family.measure(server, settings);
        if (value === undefined) continue;
        buffer.series += 1;
        buffer.text += id + endingOf(buffer, server, value);
        if (buffer.text.length >= chunkLength) cut(buffer, offset);
      }
    },
    finish() {
      endPage();
      return buffers.map(blockOf);
    },
  };
}

/** The lines of one family. Behind its id, a server's line goes on like that of each server of its kind. */
interface FamilyBuffer {
  readonly family: ServerFamily;
  /** How a line begins, up to the id; then, how each further label does. */
  readonly opening: string;
  readonly openings: readonly string[];
  /** By kind: the rest of a line, and the opening of the next. */
  readonly endings: Map<string | number, string>;
  readonly pieces: { readonly offset: number; readonly bytes: Buffer }[];
  text: string;
  series: number;
}

function emptyBuffer(family: ServerFamily, settings: ServerSettings): FamilyBuffer {
  const labels = [...family.labels, ...(family.extraLabels?.(settings) ?? [])];
  const others = labels.filter((name) => name !== 'cloud' && name !== 'id');
  const opening = `${family.name}{cloud="${escapeLabel(settings.cloud)}",id="`;
  const openings = others.map((name) => `",${name}="`);
  return { family, opening, openings, endings: new Map(), pieces: [], text: opening, series: 0 };
}

/** So many kinds are remembered; a family with more of them has as good as none. */
const mostKinds = 1000;

function endingOf(buffer: FamilyBuffer, server: Server, value: number): string {
  const kind = buffer.family.kind?.(server, value);
  if (kind === undefined) return writeEnding(buffer, server, value);
  const known = buffer.endings.get(kind);
  if (known !== undefined) return known;
  const ending = writeEnding(buffer, server, value);
  // By way of bytes it becomes one piece of text; as added, it is a chain whose links are followed at each use.
  if (buffer.endings.size < mostKinds) buffer.endings.set(kind, Buffer.from(ending).toString());
  return ending;
}

function writeEnding({ family, opening, openings }: FamilyBuffer, server: Server, value: number): string {
  const values = family.values(server);
  let text = '';
  for (let index = 0; index < openings.length; index += 1) {
    text += openings[index]! + escapeLabel(values[index]!);
  }
  return `${text}"} ${formatNumber(value)}\n${opening}`;
}

function blockOf({ pieces, series }: FamilyBuffer): TextBlock {
  const ordered = pieces.toSorted((a, b) => a.offset - b.offset);
  return { chunks: ordered.map(({ bytes }) => bytes), series };
}
