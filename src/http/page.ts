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

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '<span class="none">–</span>';
  if (Array.isArray(value)) return list(value);
  if (typeof value === 'object') return table(value);
  return escapeHtml(typeof value === 'string' ? value : JSON.stringify(value));
}

function list(values: readonly unknown[]): string {
  if (values.length === 0) return '<span class="none">none</span>';
  return `<ul>${values.map((value) => `<li>${cell(value)}</li>`).join('')}</ul>`;
}

function table(value: object): string {
  const lines = Object.entries(value).map(
    ([key, item]) => `<tr><th scope="row">${escapeHtml(key)}</th><td>${cell(item)}</td></tr>`,
  );
  return lines.length === 0 ? '<span class="none">empty</span>' : `<table>${lines.join('')}</table>`;
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid #8884}
th{font-weight:600;white-space:nowrap}ul{margin:0;padding-left:1.1rem}.none{opacity:.6}footer{margin-top:2rem;opacity:.7;font-size:.85rem}`;

/** Any answer as a page for a person: its own names, nothing hidden. */
export function page(title: string, body: object): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Steward</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>
${table(body)}</main><footer>Steward · the same answer as JSON: add <code>f=pjson</code></footer></body></html>
`;
}
