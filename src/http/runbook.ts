import { markup } from './markup.ts';
import { renderHead } from './page.ts';

/** The runbook of the alerts, as it is written, with an anchor for each alert. */
export function renderRunbook(markdown: string, version: string): Buffer {
  const [intro = '', ...sections] = markdown.replace(/<!--.*?-->\n*/gs, '').split(/^## /m);
  const links = [{ to: './', name: 'Clouds' }];
  const page = markup`${renderHead({ title: 'Runbook', version, links })}<main><article class="text"><pre>${intro}</pre>
${sections.map((section) => {
  const [heading = '', ...lines] = section.split('\n');
  return markup`<h2 id="${heading.replaceAll(' ', '-')}">${heading}</h2><pre>${lines.join('\n').trim()}</pre>\n`;
})}</article></main></body></html>
`;
  return Buffer.from(page.text);
}
