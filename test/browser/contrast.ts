/**
 * Texts whose contrast is below WCAG AA (4.5 to 1), as `text: ratio`. Runs inside the page,
 * so everything it needs is within it. All colours of the page are opaque.
 */
export function weakContrasts(): string[] {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element: Element): string => {
    const { backgroundColor } = getComputedStyle(element);
    const isClear = channels(backgroundColor)[3] === 0;
    return isClear && element.parentElement ? backgroundOf(element.parentElement) : backgroundColor;
  };
  const weak: string[] = [];
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent?.trim())
      .join('');
    if (text === '' || !element.checkVisibility() || element.closest('script, svg')) continue;
    const pair = [getComputedStyle(element).color, backgroundOf(element)].map(luminance);
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) weak.push(`${text}: ${ratio.toFixed(2)}`);
  }
  return weak;
}
