/**
 * The page's only script: takes the page anew while somebody looks at it, and changes just what differs,
 * so that nothing flickers and focus, selection and what is unfolded stay. Runs in the browser as it stands.
 */
export const refreshSeconds = 15;

export const script = `
'use strict';
const notice = document.getElementById('notice');

function patch(before, after) {
  if (before.nodeName !== after.nodeName) return before.replaceWith(after.cloneNode(true));
  if (before.nodeType !== Node.ELEMENT_NODE) {
    if (before.data !== after.data) before.data = after.data;
    return;
  }
  for (const { name } of [...before.attributes])
    if (!after.hasAttribute(name) && name !== 'open' && name !== 'hidden') before.removeAttribute(name);
  for (const { name, value } of after.attributes)
    if (name !== 'hidden' && before.getAttribute(name) !== value) before.setAttribute(name, value);
  const olds = [...before.childNodes];
  const news = [...after.childNodes];
  news.forEach((child, place) =>
    place < olds.length ? patch(olds[place], child) : before.append(child.cloneNode(true)),
  );
  for (const child of olds.slice(news.length)) child.remove();
}

async function refresh() {
  if (document.visibilityState !== 'visible') return;
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    patch(document.querySelector('main'), page.querySelector('main'));
    document.title = page.title;
    notice.hidden = true;
  } catch {
    notice.hidden = false;
  }
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copies);
  getSelection().selectAllChildren(text);
  // Only pages that came safely have a clipboard; elsewhere the old way still works.
  if (navigator.clipboard) await navigator.clipboard.writeText(text.textContent);
  else document.execCommand('copy');
  button.textContent = 'Copied';
}

for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button));
}
document.addEventListener('visibilitychange', refresh);
setInterval(refresh, ${refreshSeconds * 1000});
`;
