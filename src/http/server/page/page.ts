// Pages for people: any answer with every field under its own name, in the look of the console, usable without scripts.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import { isTimestamp } from '../../../model/timestamp.ts';
import { isOwnPath } from '../ownPath.ts';
import type { Site } from '../pathPrefix.ts';
import type { Directory, PageField, PageForm } from './directory.ts';
import { STYLE } from './pageStyle.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function link(address: string, text: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}

/** A path on this server becomes a link. */
function words(text: string): string {
  return isOwnPath(text) ? link(text, text) : escapeHtml(text);
}

function time(at: number): string {
  const exact = new Date(at).toISOString();
  return `<time datetime="${exact}" title="${at}">${exact.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

type ItemAddress = Directory['itemAddress'];

function cell(value: unknown, itemAddress: ItemAddress): string {
  if (value === null || value === undefined || value === '') return '<span class="none">–</span>';
  if (Array.isArray(value))
    return value.length > 0 && value.every(isObject) ? columns(value, itemAddress) : list(value, itemAddress);
  if (isObject(value)) return record(value, itemAddress);
  if (isTimestamp(value)) return time(value);
  return typeof value === 'string' ? words(value) : escapeHtml(JSON.stringify(value));
}

function list(values: readonly unknown[], itemAddress: ItemAddress): string {
  if (values.length === 0) return '<span class="none">none</span>';
  return `<ul>${values.map((value) => `<li>${cell(value, itemAddress)}</li>`).join('')}</ul>`;
}

function columns(rows: readonly JsonObject[], itemAddress: ItemAddress): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row) => {
    const address = itemAddress(row);
    const cells = names.map((name, n) => {
      const value = row[name];
      const isLink = n === 0 && address !== undefined && typeof value === 'string' && value !== '';
      return `<td>${isLink ? link(address, value) : cell(value, itemAddress)}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table><tr>${head}</tr>${body.join('')}</table>`;
}

function record(value: JsonObject, itemAddress: ItemAddress): string {
  const lines = Object.entries(value).map(
    ([name, item]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${cell(item, itemAddress)}</td></tr>`,
  );
  return lines.length === 0 ? '<span class="none">nothing</span>' : `<table>${lines.join('')}</table>`;
}

function control({ name, kind, choices, isRequired, value }: PageField, id: string): string {
  const common = `id="${id}" name="${escapeHtml(name)}"${isRequired ? ' required' : ''}`;
  if (kind !== 'choice') return `<input ${common} type="${kind}" value="${escapeHtml(kind === 'file' ? '' : value)}">`;
  const options = ['', ...choices].map(
    (one) => `<option${one === value ? ' selected' : ''}>${escapeHtml(one)}</option>`,
  );
  return `<select ${common}>${options.join('')}</select>`;
}

function field(one: PageField, form: number, n: number): string {
  const id = `field-${form}-${n}`;
  const label = `${escapeHtml(one.name)}${one.isRequired ? ' <span class="none">(required)</span>' : ''}`;
  return `<div><label for="${id}">${label}</label>${control(one, id)}<small>${escapeHtml(one.about)}</small></div>`;
}

function operationForm({ address, title, about, fields }: PageForm, csrfToken: string, n: number): string {
  const encoding = fields.some(({ kind }) => kind === 'file') ? ' enctype="multipart/form-data"' : '';
  const hidden = Object.entries({ f: 'html', csrfToken }).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<details><summary>${escapeHtml(title)}</summary><p class="about">${escapeHtml(about)}</p>
<form method="post" action="${escapeHtml(address)}"${encoding}>${hidden.join('')}${fields.map((one, place) => field(one, n, place)).join('')}<button>${escapeHtml(title)}</button></form></details>`;
}

function signInForm(action: string, next: string): string {
  return `<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="f" value="html"><input type="hidden" name="next" value="${escapeHtml(next)}">
<div><label for="username">User name</label><input id="username" name="username" autocomplete="username" required></div>
<div><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></div><button>Sign in</button></form>`;
}

function surroundings({ children, forms, csrfToken = '' }: Directory): string {
  const links = children.map(({ address, text }) => `<li>${link(address, text)}</li>`);
  const below = links.length === 0 ? '' : `<h2>Below this address</h2><ul class="links">${links.join('')}</ul>`;
  const operations = forms.map((form, n) => operationForm(form, csrfToken, n));
  return below + (operations.length === 0 ? '' : `<h2>Operations</h2>${operations.join('')}`);
}

export interface Page {
  /** Words, or the address of the request. */
  readonly title: string;
  readonly about?: string;
  readonly body: object;
  readonly site: Site;
  /** Where a person goes on who signs in on this page; undefined if it does not ask for that. */
  readonly signInFor?: string | undefined;
  readonly directory?: Directory | undefined;
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

/** Renders any answer as a page. */
export function page({ title: address, about = '', body, site: { prefix, home }, signInFor, directory }: Page): string {
  const title = pathOf(address);
  const parents = (directory?.parents ?? []).map(({ address: above, text }) => `${link(above, text)} / `).join('');
  const answer = cell(body, directory?.itemAddress ?? (() => undefined));
  const signIn = signInFor === undefined ? '' : signInForm(`${home}/login`, signInFor);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Steward</title><style>${STYLE}</style></head><body>
<header><a href="${escapeHtml(prefix)}/console/"><strong>Steward</strong></a><nav aria-label="Above">${parents}</nav></header>
<main><h1>${escapeHtml(title)}</h1><p class="about">${escapeHtml(about)}</p>${signIn}${answer}${directory === undefined ? '' : surroundings(directory)}</main>
<footer>${link(home, home)} · with <code>f=pjson</code> the same answer is JSON</footer></body></html>
`;
}
