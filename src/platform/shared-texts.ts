/** So many are remembered; past that, some texts have two copies. */
const mostTexts = 100_000;

/** Each record comes with its own copy of the name of its region and so on; one copy is enough for all. */
export function createSharedTexts(): (text: string) => string {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= mostTexts) texts.clear();
    texts.set(text, text);
    return text;
  };
}
