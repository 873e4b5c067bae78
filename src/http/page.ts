import { createHash } from 'node:crypto';
import { states } from '../platform/state.ts';
import { markup, verbatim, type Markup } from './markup.ts';

const refreshSeconds = 15;

const mark = markup`<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="3" y="4" width="26" height="10" rx="3"/><rect x="3" y="18" width="26" height="10" rx="3"/><circle cx="9" cy="9" r="2"/><circle cx="9" cy="23" r="2"/></svg>`;
const icon = `data:image/svg+xml,${encodeURIComponent(mark.text.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg" fill="#2b62d1"'))}`;

/** What stands before the body of the page. */
export function renderHead(title: string, version: string, links: readonly Markup[]): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>${title} – cloud-platform-exporter</title>
<link rel="icon" href="${icon}">
<style>${verbatim(style)}</style>
</head>
<body>
<header class="top">
<div class="brand">${mark}<div><h1>cloud-platform-exporter <small>${version}</small></h1><p>Prometheus metrics about the servers of a cloud platform</p></div></div>
<nav aria-label="Exporter">${links}</nav>
</header>
`;
}

const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1a222d; --quiet: #566170; --line: #e2e6eb; --link: #1f54bd; --sunk: #f1f3f6;
  --running: #2b8a57; --stopped: #7d8998; --transition: #b0750c; --failed: #c8372d; --task_failed: #b4561f; --pending_deletion: #a3adb9; --unknown: #7858c4;
  --up-ink: #17603a; --up-fill: #e1f3e8; --down-ink: #9c2018; --down-fill: #fde9e7; --calm-ink: #455060; --calm-fill: #e9edf2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f141a; --card: #171e26; --text: #e5eaf0; --quiet: #98a5b4; --line: #27313c; --link: #8ab2ff; --sunk: #10161d;
    --running: #44b97f; --stopped: #748292; --transition: #dfa63a; --failed: #f4685b; --task_failed: #e58a5a; --pending_deletion: #5b6673; --unknown: #a48bf0;
    --up-ink: #83dcae; --up-fill: #14352a; --down-ink: #ffa59c; --down-fill: #3b1d1c; --calm-ink: #b4bfcc; --calm-fill: #242e39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 74rem; padding: 2rem 1.5rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, p, dl, dd, ul { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { font-size: 1.15rem; line-height: 1.3; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 3px; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.875em; }
nav { display: flex; flex-wrap: wrap; gap: 0.35rem 1.25rem; }
.brand { display: flex; align-items: center; gap: 0.9rem; }
.brand svg { flex: none; width: 2.75rem; height: 2.75rem; fill: var(--link); }
.brand circle { fill: var(--page); }
.brand h1 small { font-size: 0.875rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); white-space: nowrap; margin-left: 0.3rem; }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 1rem 2rem; }
.top p, footer, .age, .detail, .summary time, dt { color: var(--quiet); }
.summary { margin: 2rem 0 0.75rem; font-weight: 600; }
.summary time { font-weight: 400; margin-left: 0.5rem; white-space: nowrap; }
.clouds { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); align-items: start; }
.cloud { min-width: 0; display: grid; gap: 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.5rem 1.4rem; }
.cloud > * { min-width: 0; }
.cloud > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.75rem; }
.age { margin-left: auto; font-size: 0.875rem; }
.badge { font-size: 0.8125rem; font-weight: 600; padding: 0.1rem 0.65rem 0.1rem 0.55rem; border-radius: 1rem; background: var(--calm-fill); color: var(--calm-ink); white-space: nowrap; }
.badge::before { content: "○ "; }
.badge.up { background: var(--up-fill); color: var(--up-ink); }
.badge.up::before { content: "● "; }
.badge.down { background: var(--down-fill); color: var(--down-ink); }
.badge.down::before { content: "▲ "; }
.failure { background: var(--down-fill); color: var(--down-ink); border-radius: 8px; padding: 0.75rem 1rem; display: grid; gap: 0.4rem; overflow-wrap: anywhere; }
.failure .detail { color: inherit; font-size: 0.875rem; }
.bar { display: block; width: 100%; height: 0.75rem; border-radius: 0.375rem; background: var(--sunk); }
${states.map((state) => `.${state} { --state: var(--${state}); }`).join('\n')}
.bar rect { stroke: var(--card); stroke-width: 1.5px; fill: var(--state); }
.states { list-style: none; padding: 0; margin-top: -0.6rem; display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.875rem; }
.states li::before { content: ""; display: inline-block; width: 0.6rem; height: 0.6rem; border-radius: 2px; margin-right: 0.4rem; background: var(--state); }
.states .none { color: var(--quiet); } .states .none b { font-weight: 400; }
.totals { display: flex; flex-wrap: wrap; gap: 0.75rem 1.75rem; }
.totals div { display: flex; flex-direction: column-reverse; }
.totals dd { font-size: 1.25rem; font-weight: 600; line-height: 1.25; letter-spacing: -0.01em; white-space: nowrap; }
dt { font-size: 0.8125rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0.3rem 2rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: 0.875rem; }
.facts div { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0.75rem; align-items: baseline; }
.facts dd { min-width: 0; overflow-wrap: anywhere; }
.facts .warning { color: var(--down-ink); font-weight: 600; }
.problems { font-size: 0.9375rem; }
.problems summary { cursor: pointer; width: fit-content; font-weight: 600; }
.problems summary span, .calm { color: var(--quiet); font-weight: 400; }
.problems .detail { margin-top: 0.4rem; font-size: 0.875rem; }
.scroll { overflow-x: auto; margin-top: 0.6rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1rem 0.3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; min-width: 6rem; }
th:first-child { min-width: 11rem; }
thead th { border: 0; color: var(--quiet); font-weight: 400; }
tbody th { font-weight: 500; }
.cloud nav { font-size: 0.9375rem; }
footer { margin-top: 2rem; font-size: 0.875rem; max-width: 46rem; }
@media (max-width: 40rem) {
  body { padding: 1.25rem 1rem 2rem; }
  .cloud { padding: 1rem 1.1rem 1.2rem; }
  .age { margin-left: 0; width: 100%; }
  .totals { gap: 0.6rem 1.5rem; }
  h1 { font-size: 1.2rem; }
  .top nav { font-size: 0.9375rem; column-gap: 1rem; }
}
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Should markup of a tenant's making ever reach the page, it can neither run nor load nor send anything. */
export const pageHeaders = {
  'Content-Security-Policy': [
    `default-src 'none'; style-src ${hashOf(style)}; img-src data:`,
    `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
