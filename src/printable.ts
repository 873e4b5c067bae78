/** Control characters, separators of lines, and what turns the direction of writing. */
// oxlint-disable-next-line no-control-regex
const unprintable = /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;
const eachUnprintable = new RegExp(unprintable, 'g');

/** A text from outside, fit for a label, a page, a log and a terminal: what cannot be printed is `\uFFFD`. */
export function printable(text: string): string {
  return unprintable.test(text) ? text.replace(eachUnprintable, '\uFFFD') : text;
}
