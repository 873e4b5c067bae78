/** The address of an API, fit to have a path put behind it; undefined if the text is no such address. */
export function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}
