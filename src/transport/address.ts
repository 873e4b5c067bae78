/** The address of an API, fit to have a path put behind it; undefined if the text is no such address. */
export function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  url.search = '';
  url.hash = '';
  const { href } = url;
  let end = href.length;
  // An expression for slashes at the end would start anew at each of many slashes elsewhere.
  while (href[end - 1] === '/') end -= 1;
  return href.slice(0, end);
}
