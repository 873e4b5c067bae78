import { markup, type Markup, type Piece } from './markup.ts';
import { renderPage } from './page.ts';

/** The runbook of the alerts as a page. Each heading is an anchor by its own words: `#CloudDown`. */
export function renderRunbook(markdown: string, version: string): Markup {
  const ids = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, words = '']) => idOf(words));
  const blocks = markdown.replace(/<!--.*?-->/gs, '').match(/^```.*?^```$|^(?:[^\n]+\n?)+/gms) ?? [];
  return renderPage({
    title: 'Runbook',
    version,
    isLive: false,
    links: [{ to: './', name: 'Clouds' }],
    body: markup`<main><article class="text">${blocks.map((block) => renderBlock(block.trim(), ids))}</article></main>`,
  });
}

/** As much of Markdown as the runbook has: headings, code, lists, tables and paragraphs. */
function renderBlock(block: string, ids: readonly string[]): Markup {
  const inline = (text: string) => renderInline(text, ids);
  const lines = block.split('\n');
  if (block.startsWith('```')) return markup`<pre tabindex="0">${lines.slice(1, -1).join('\n')}</pre>`;
  const [, hashes, words = ''] = /^(#+) (.*)$/.exec(block) ?? [];
  const tag = hashes && hashes.length > 2 ? 'h3' : 'h2';
  if (hashes) return markup`<${tag} id="${idOf(words)}">${inline(words)}</${tag}>`;
  if (/^(-|\d+\.) /.test(block)) {
    const items = block.split(/\n(?=- |\d+\. )/).map((item) => item.replace(/^(-|\d+\.) /, ''));
    const list = block.startsWith('-') ? 'ul' : 'ol';
    return markup`<${list}>${items.map((item) => markup`<li>${inline(item)}</li>`)}</${list}>`;
  }
  if (block.startsWith('|')) return renderTable(lines.map(cellsOf), inline);
  return markup`<p>${inline(block)}</p>`;
}

function cellsOf(line: string): string[] {
  return line.split(/(?<!\\)\|/).slice(1, -1);
}

function renderTable([head = [], , ...rows]: readonly string[][], inline: (text: string) => Piece): Markup {
  const cells = (row: readonly string[], tag: 'th' | 'td') =>
    markup`<tr>${row.map((cell) => markup`<${tag}>${inline(cell.trim())}</${tag}>`)}</tr>`;
  return markup`<div class="scroll"><table><thead>${cells(head, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td'))}</tbody></table></div>`;
}

const token = /`([^`]+)`|\*\*(.+?)\*\*|(?<!\w)_([^_]+)_(?!\w)|\[([^\]]+)\]\(([^)\s]+)\)/gs;

function renderInline(text: string, ids: readonly string[]): Piece {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, code, strong, emphasis, link, target = ''] = match;
    pieces.push(plain(text.slice(end, match.index)));
    if (code !== undefined) pieces.push(markup`<code>${code}</code>`);
    if (strong !== undefined) pieces.push(markup`<strong>${renderInline(strong, ids)}</strong>`);
    if (emphasis !== undefined) pieces.push(markup`<em>${renderInline(emphasis, ids)}</em>`);
    if (link !== undefined) pieces.push(renderLink(link, target, ids));
    end = match.index + whole.length;
  }
  return [...pieces, plain(text.slice(end))];
}

/** Other files of the repository are not here. In a repository anchors are in small letters. */
function renderLink(words: string, target: string, ids: readonly string[]): Piece {
  const id = ids.find((known) => target === `#${known.toLowerCase()}`);
  const to = id === undefined ? target : `#${id}`;
  return /^(#|https?:)/.test(to) ? markup`<a href="${to}">${renderInline(words, ids)}</a>` : words;
}

function plain(text: string): string {
  return text.replace(/\\([\\`*_|[\]<>#-])/g, '$1');
}

function idOf(words: string): string {
  return words.replace(/[^\w -]/g, '').replaceAll(' ', '-');
}
