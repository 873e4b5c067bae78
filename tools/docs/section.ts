import { format } from 'oxfmt';

/** Puts `content` between the marks of a generated part of a page. */
export function replaceSection(page: string, name: string, content: string): string {
  const start = `<!-- generated: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the marks of ${name} are missing`);
  return `${page.slice(0, from + start.length)}\n\n${content}\n\n${page.slice(to)}`;
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A text as `npm run format` would leave it in a file of this name. */
export async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { printWidth: 110, singleQuote: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  return code;
}
