/** What cannot be read on a drawn board: each sentence names the panel. */
export function measure() {
  const found = [];
  for (const panel of document.querySelectorAll('[data-panel]')) {
    const say = (what) => found.push(`${panel.dataset.panel}: ${what}`);
    for (const plot of panel.querySelectorAll('.u-over')) {
      const share = plot.clientWidth / panel.clientWidth;
      if (share < 2 / 3) say(`the plot has ${Math.round(100 * share)} % of the width`);
      if (plot.clientHeight < panel.clientHeight / 2) say(`the plot is ${plot.clientHeight} pixels high`);
    }
    for (const grid of panel.querySelectorAll('[role=grid]'))
      if (grid.scrollWidth > grid.clientWidth + 1)
        say(`its columns need ${grid.scrollWidth} pixels and have ${grid.clientWidth}`);
    for (const element of panel.querySelectorAll('*')) {
      const text = [...element.childNodes].find(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
      if (!text || element.closest('svg')) continue;
      const { color, fontSize } = getComputedStyle(element);
      const contrast = contrastOf(coloursOf(color), backgroundOf(element));
      if (parseFloat(fontSize) < 12) say(`"${text.data}" is ${fontSize} high`);
      if (contrast < 4.5) say(`"${text.data}" has a contrast of ${contrast.toFixed(1)}`);
      const range = document.createRange();
      range.selectNodeContents(element);
      const tile = element.closest('[data-tile]')?.getBoundingClientRect();
      if (tile && range.getBoundingClientRect().right > tile.right + 1)
        say(`"${text.data}" is wider than its tile`);
    }
  }
  return [...new Set(found)];
}

function coloursOf(text) {
  const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha };
}

/** The nearest colour behind it that is not transparent. */
function backgroundOf(element) {
  for (let each = element; each; each = each.parentElement) {
    const colour = coloursOf(getComputedStyle(each).backgroundColor);
    if (colour.alpha > 0.5) return colour;
  }
  return coloursOf('rgb(0, 0, 0)');
}

function contrastOf({ rgb: one }, { rgb: other }) {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(rgb) {
  const [red, green, blue] = rgb
    .map((part) => part / 255)
    .map((part) => (part <= 0.039 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
