import type { Server } from '../platform/server.ts';
import { chunkLength, escapeLabel, formatNumber, type Block } from './exposition.ts';
import { serverFamilies, type ServerFamily, type ServerSettings } from './servers.ts';

export interface ServerText {
  /** `offset` is that of the server's page. */
  add(server: Server, offset: number): void;
  /** The lines of each family by its name, in the platform's order of servers. */
  finish(): ReadonlyMap<string, Block>;
}

/**
 * Writes the lines of single servers while these arrive, and keeps the text instead of the servers: a large fleet of
 * small objects would be looked at by the garbage collector again and again.
 */
export function createServerText(
  settings: ServerSettings & { readonly seriesLimit: number },
  families: readonly ServerFamily[] = serverFamilies,
): ServerText {
  let sheets = families.map((family) => emptySheet(family, settings));
  const paper = createPaper();
  let servers = 0;
  let page = 0;

  function cut(sheet: Sheet, offset: number): void {
    if (sheet.text === sheet.opening) return;
    const bytes = paper.write(sheet.text);
    sheet.pieces.push({ offset, bytes: bytes.subarray(0, -Buffer.byteLength(sheet.opening)) });
    sheet.text = sheet.opening;
  }

  function endPage(): void {
    for (const sheet of sheets) cut(sheet, page);
  }

  return {
    add(server, offset) {
      if (offset !== page) endPage();
      page = offset;
      servers += 1;
      // The page drops the last families first when series are too many; the last of these has no hope any more.
      if (servers * sheets.length > settings.seriesLimit) sheets = sheets.slice(0, -1);
      const id = escapeLabel(server.id);
      for (const sheet of sheets) {
        const value = sheet.family.measure(server, settings);
        if (value === undefined) continue;
        sheet.series += 1;
        sheet.text += id + endingOf(sheet, server, value);
        if (sheet.text.length >= chunkLength) cut(sheet, offset);
      }
    },
    finish() {
      endPage();
      return new Map(sheets.map((sheet) => [sheet.family.name, blockOf(sheet)]));
    },
  };
}

/** The lines of one family. Behind its id, a server's line goes on like that of each server of its kind. */
interface Sheet {
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

function emptySheet(family: ServerFamily, settings: ServerSettings): Sheet {
  const labels = [...family.labels, ...(family.extraLabels?.(settings) ?? [])];
  const others = labels.filter((name) => name !== 'cloud' && name !== 'id');
  const opening = `${family.name}{cloud="${escapeLabel(settings.cloud)}",id="`;
  const openings = others.map((name) => `",${name}="`);
  return { family, opening, openings, endings: new Map(), pieces: [], text: opening, series: 0 };
}

/** So many kinds are remembered; a family with more of them has as good as none. */
const mostKinds = 1000;

function endingOf(sheet: Sheet, server: Server, value: number): string {
  const kind = sheet.family.kind?.(server, value);
  if (kind === undefined) return writeEnding(sheet, server, value);
  const known = sheet.endings.get(kind);
  if (known !== undefined) return known;
  const ending = writeEnding(sheet, server, value);
  // By way of bytes it becomes one piece of text; as added, it is a chain whose links are followed at each use.
  if (sheet.endings.size < mostKinds) sheet.endings.set(kind, Buffer.from(ending).toString());
  return ending;
}

function writeEnding({ family, opening, openings }: Sheet, server: Server, value: number): string {
  const values = family.values(server);
  let text = '';
  for (let index = 0; index < openings.length; index += 1) {
    text += openings[index]! + escapeLabel(values[index]!);
  }
  return `${text}"} ${formatNumber(value)}\n${opening}`;
}

function blockOf({ pieces, series }: Sheet): Block {
  const ordered = pieces.toSorted((a, b) => a.offset - b.offset);
  return { chunks: ordered.map(({ bytes }) => bytes), series };
}

const paperBytes = 1_048_576;
const mostBytesPerUnit = 3;

/** Memory for text. A piece of its own for each text would have to be measured, made and swept away by itself. */
function createPaper() {
  let memory = Buffer.alloc(0);
  let used = 0;
  return {
    write(text: string): Buffer {
      const needed = text.length * mostBytesPerUnit;
      if (memory.length - used < needed) {
        memory = Buffer.allocUnsafeSlow(Math.max(paperBytes, needed));
        used = 0;
      }
      const start = used;
      used += memory.write(text, start);
      return memory.subarray(start, used);
    },
  };
}
