/** HTML that is safe to send. Only this file makes it, so no text of the platform reaches the page unescaped. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { Markup };
export type Piece = string | number | false | undefined | Markup | readonly Piece[];

/** A template whose pieces are escaped, unless they are markup themselves. */
export function markup(fixed: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(fixed.reduce((text, part, index) => text + write(pieces[index - 1]) + part));
}

/** Our own constants, and nothing else. */
export function verbatim(text: string): Markup {
  return new Markup(text);
}

function write(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(write).join('');
  return String(piece).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
