import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** A path on this server becomes a link; `//host` would lead to another server. */
function words(text: string): string {
  const escaped = escapeHtml(text);
  return /^\/(?!\/)[^\s\\]*$/.test(text) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}

/** Takes 2001 to 2286 in milliseconds for a time: no other number in an answer is that large. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1e12 && value < 1e13;
}

function time(at: number): string {
  const exact = new Date(at).toISOString();
  return `<time datetime="${exact}" title="${at}">${exact.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '<span class="none">–</span>';
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? columns(value) : list(value);
  if (isObject(value)) return record(value);
  if (isTime(value)) return time(value);
  return typeof value === 'string' ? words(value) : escapeHtml(JSON.stringify(value));
}

function list(values: readonly unknown[]): string {
  if (values.length === 0) return '<span class="none">none</span>';
  return `<ul>${values.map((value) => `<li>${cell(value)}</li>`).join('')}</ul>`;
}

function columns(rows: readonly JsonObject[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${names.map((name) => `<td>${cell(row[name])}</td>`).join('')}</tr>`).join('');
  return `<table><tr>${head}</tr>${body}</table>`;
}

function record(value: JsonObject): string {
  const lines = Object.entries(value).map(
    ([name, item]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${cell(item)}</td></tr>`,
  );
  return lines.length === 0 ? '<span class="none">nothing</span>' : `<table>${lines.join('')}</table>`;
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem;margin-bottom:.2rem;overflow-wrap:anywhere}time{white-space:nowrap}main{overflow-x:auto}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3rem 1rem .3rem 0;border-top:1px solid #8884}
td td,td th{font-size:.95em}th{font-weight:600;white-space:nowrap}td{overflow-wrap:break-word}td td{max-width:24rem}ul{margin:0;padding-left:1.1rem}.none{opacity:.6}.about,footer{opacity:.75}footer{margin-top:2rem;font-size:.85rem}
form{margin-top:1.5rem;display:grid;gap:.6rem;max-width:20rem}input,button{font:inherit;padding:.4rem .6rem}`;

function signInForm(action: string): string {
  return `<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="f" value="html">
<label>User name <input name="username" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label><button>Sign in</button></form>`;
}

export interface Page {
  /** Words, or the address of the request. */
  readonly title: string;
  readonly about?: string;
  readonly body: object;
  /** {root}, where the link in the footer leads. */
  readonly home: string;
  readonly asksToSignIn?: boolean;
}

/** Returns the path of an address, decoded if it is valid percent-encoding. */
function pathOf(address: string): string {
  const [path = ''] = address.split(/[?#]/, 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Renders any answer as a page, with every field under its own name. */
export function page({ title: address, about = '', body, home, asksToSignIn = false }: Page): string {
  const title = pathOf(address);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Steward</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>
<p class="about">${escapeHtml(about)}</p>${cell(body)}${asksToSignIn ? signInForm(`${home}/login`) : ''}</main>
<footer><a href="${escapeHtml(home)}">${escapeHtml(home)}</a> · with <code>f=pjson</code> the same answer is JSON</footer></body></html>
`;
}
