// Requests that are small and try to be expensive: nesting, repetition, anchors, and texts that make a parser look back. Each can
// be made in any size up to its limit, so that a benchmark can compare the cost of one size with that of half of it.

export interface HostileInput {
  readonly name: string;
  readonly path: string;
  readonly contentType: string;
  /** The largest size that the server reads. Larger bodies are refused by their size. */
  readonly maxBytes: number;
  /** How long it may stop the event loop at that size. A file of the largest size that is parsed to its end takes longer. */
  readonly stallMs: number;
  /** Makes the body. Where the operation needs a token, the body carries this one. */
  readonly body: (bytes: number, token: string) => Buffer;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const STALL_MS = 50;
/** A text of the largest size that is parsed to its end. */
const JSON_STALL_MS = 100;
const YAML_STALL_MS = 200;
const BOUNDARY = 'B';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

function repeat(text: string, bytes: number): string {
  return text.repeat(Math.max(1, Math.floor(bytes / text.length)));
}

/** Different texts in a row: `make` gets the position. */
function series(bytes: number, make: (n: number) => string): string {
  const texts: string[] = [];
  for (let [n, size] = [0, 0]; size < bytes; n += 1) {
    const text = make(n);
    texts.push(text);
    size += text.length;
  }
  return texts.join('');
}

function nested(open: string, close: string, bytes: number): string {
  const depth = Math.max(1, Math.floor(bytes / (open.length + close.length)));
  return open.repeat(depth) + close.repeat(depth);
}

function part(name: string, content: string, head = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n${content}\r\n`;
}

function multipart(...parts: readonly string[]): Buffer {
  return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
}

type MakeText = (bytes: number) => string;

function imported(
  kind: string,
  maxBytes: number,
  stallMs: number,
  texts: Readonly<Record<string, MakeText>>,
): readonly HostileInput[] {
  return Object.entries(texts).map(([name, make]) => ({
    name: `${kind}: ${name}`,
    path: '/admin/services/import',
    contentType: MULTIPART,
    maxBytes,
    stallMs: /^(nested|anchors and|an anchor|spaces|documents)/.test(name) ? STALL_MS : stallMs,
    body: (bytes, token) => multipart(part('token', token), part('dryRun', 'true'), part('importFile', make(bytes))),
  }));
}

const YAML = imported('YAML', 191 * KIB, YAML_STALL_MS, {
  'nested sequences': (bytes) => repeat('- ', bytes),
  'nested flow sequences': (bytes) => `x: ${nested('[', ']', bytes)}`,
  'nested flow pairs': (bytes) => repeat('[a: ', bytes),
  'nested flow mappings': (bytes) => `x: ${repeat('{a: ', bytes)}`,
  'nested keys': (bytes) => repeat('? ', bytes),
  'nested mappings': (bytes) => series(bytes, (n) => `${' '.repeat(n)}a:\n`),
  anchors: (bytes) => series(bytes, (n) => `- &a${n} x\n`),
  'anchors and aliases': (bytes) => series(bytes, (n) => `- &a${n} [*a${Math.max(0, n - 1)}]\n`),
  'an anchor of anchors': (bytes) => repeat('&a ', bytes),
  'merged mappings': (bytes) => `a: &a {x: 1}\n${series(bytes, (n) => `b${n}: {<<: *a}\n`)}`,
  'many keys': (bytes) => series(bytes, (n) => `k${n}: 1\n`),
  'one key again and again': (bytes) => repeat('k: 1\n', bytes),
  'tagged values': (bytes) => repeat('- !!str x\n', bytes),
  documents: (bytes) => repeat('---\n', bytes),
  'empty items': (bytes) => repeat('-\n', bytes),
  'short items': (bytes) => `services: [${repeat('a,', bytes)}]`,
  'short entries': (bytes) => `services:\n${repeat('- a: 1\n', bytes)}`,
  'quotes and escapes': (bytes) => `a: "${repeat('\\x41', bytes)}"`,
  'an open quote': (bytes) => `a: "${repeat(' \n', bytes)}`,
  'a folded text': (bytes) => `a: >\n${repeat('  x\n\n', bytes)}`,
  'a text of many lines': (bytes) => `a: ${repeat('b\n  ', bytes)}`,
  comments: (bytes) => `a: 1${repeat(' #\n', bytes)}`,
  spaces: (bytes) => `a:${repeat(' ', bytes)}1`,
  numbers: (bytes) => `a: ${repeat('1', bytes)}`,
});

const JSON_FILES = imported('JSON file', 900 * KIB, JSON_STALL_MS, {
  'nested lists': (bytes) => nested('[', ']', bytes),
  'nested objects': (bytes) => `${repeat('{"a":', bytes)}1`,
  'nested objects, closed': (bytes) => `{"services":${nested('{"a":', '}', bytes).replace('}', '1}')}}`,
  'wrong entries': (bytes) => `{"services":[${repeat('0,', bytes)}0]}`,
  'empty entries': (bytes) => `{"services":[${repeat('{},', bytes)}{}]}`,
  'many keys': (bytes) => `{${series(bytes, (n) => `"k${n}":1,`)}"z":1}`,
  'objects of different keys': (bytes) => `{"services":[${series(bytes, (n) => `{"k${n}":1},`)}{}]}`,
  'escaped text': (bytes) => `{"services":"${repeat('\\u0041', bytes)}"}`,
});

const JSON_BODIES: readonly HostileInput[] = Object.entries<MakeText>({
  'nested lists': (bytes) => `{"services":${nested('[', ']', bytes)}}`,
  'nested objects': (bytes) => nested('{"a":', '}', bytes),
  'many fields': (bytes) => `{${series(bytes, (n) => `"k${n}":1,`)}"z":1}`,
  'one field again and again': (bytes) => `{${repeat('"k":1,', bytes)}"k":1}`,
  'a list of lists': (bytes) => `{"changeTypes":[${repeat('[],', bytes)}[]]}`,
  'escaped quotes': (bytes) => `{"k":"${repeat('\\"', bytes)}"}`,
  spaces: (bytes) => `{${repeat(' ', bytes)}"k"${repeat(' ', 1000)}:1}`,
}).map(([name, make]) => ({
  name: `JSON body: ${name}`,
  path: '/admin/services/A.Map/webhooks/create',
  contentType: 'application/json',
  maxBytes: 1000 * KIB,
  stallMs: JSON_STALL_MS,
  body: (bytes) => Buffer.from(make(bytes)),
}));

const FORMS: readonly HostileInput[] = Object.entries<MakeText>({
  'many fields': (bytes) => series(bytes, (n) => `k${n}=1&`),
  'empty fields': (bytes) => repeat('&', bytes),
  'one field again and again': (bytes) => series(bytes, (n) => (n < 190 ? 'f=json&' : 'x')),
  'escaped text': (bytes) => `description=${repeat('%41', bytes)}`,
  'broken escapes': (bytes) => `description=${repeat('%', bytes)}`,
  'plus signs': (bytes) => `description=${repeat('+', bytes)}`,
  'a long name': (bytes) => `${repeat('a', bytes)}=1`,
  brackets: (bytes) => `${repeat('[a]', bytes)}=1`,
  'events, nested': (bytes) => `events=${nested('[', ']', bytes)}`,
  'events, many': (bytes) => `events=[${repeat('{"event":"a","payload":1},', bytes)}{}]`,
  'events, with spaces': (bytes) => `events=[{"event":"a","payload":1${repeat(' ', bytes)}}]`,
  'headers, many': (bytes) => `headers={${series(bytes, (n) => `"h${n}":"",`)}"z":""}`,
}).map(([name, make]) => ({
  name: `form: ${name}`,
  path: name.startsWith('events') ? '/admin/services/A.Map/events' : '/admin/services/A.Map/webhooks/create',
  contentType: FORM,
  maxBytes: 1000 * KIB,
  stallMs: STALL_MS,
  body: (bytes, token) => Buffer.from(`token=${encodeURIComponent(token)}&${make(bytes)}`),
}));

const MULTIPARTS: readonly HostileInput[] = Object.entries<MakeText>({
  parts: (bytes) => repeat(part('a', ''), bytes),
  'a name again and again': (bytes) => series(bytes, (n) => (n < 190 ? part('f', 'json') : 'x')),
  boundaries: (bytes) => repeat(`--${BOUNDARY}\r\n`, bytes),
  'ends and boundaries': (bytes) => repeat(`--${BOUNDARY}--${BOUNDARY}`, bytes),
  'beginnings of a boundary': (bytes) => part('a', repeat('\r\n-', bytes)),
  'line ends': (bytes) => part('a', repeat('\r\n', bytes)),
  'a head without an end': (bytes) => `--${BOUNDARY}\r\n${repeat('A: b\r\n', bytes)}`,
  'a long head': (bytes) => part('a', 'x', `\r\nX-Long: ${repeat('y', bytes)}`),
  'parameters of a part': (bytes) => part('a', 'x', repeat('; a=b', bytes)),
  'quotes in a part': (bytes) => part('a', 'x', `; filename="${repeat('\\"', bytes)}"`),
}).map(([name, make]) => ({
  name: `multipart: ${name}`,
  path: '/admin/services/createFolder',
  contentType: MULTIPART,
  maxBytes: 1000 * KIB,
  stallMs: STALL_MS,
  body: (bytes, token) => multipart(part('token', token), make(bytes)),
}));

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

const ENVELOPES: readonly HostileInput[] = Object.entries<MakeText>({
  'nested elements': (bytes) => nested('<a>', '</a>', bytes),
  'nested namespaces': (bytes) => nested('<a xmlns="u">', '</a>', bytes),
  elements: (bytes) => repeat('<a/>', bytes),
  attributes: (bytes) => `<a${series(bytes, (n) => ` a${n}="1"`)}/>`,
  'one attribute again and again': (bytes) => `<a${repeat(' a="1"', bytes)}/>`,
  'namespaces of one element': (bytes) => `<a${series(bytes, (n) => ` xmlns:n${n}="u"`)}/>`,
  'attributes in namespaces': (bytes) => `<a${series(bytes, (n) => ` xmlns:n${n}="u${n}" n${n}:a="1"`)}/>`,
  entities: (bytes) => repeat('&amp;', bytes),
  'unknown entities': (bytes) => repeat('&x;', bytes),
  'numbers of characters': (bytes) => repeat('&#65;', bytes),
  'an open tag': (bytes) => `<a ${repeat(' ', bytes)}`,
  'a long name': (bytes) => `<${repeat('a', bytes)}/>`,
  comments: (bytes) => repeat('<!---->', bytes),
  'an open comment': (bytes) => `<!--${repeat('- ', bytes)}`,
  'character data': (bytes) => repeat('<![CDATA[]]>', bytes),
  'a folder name': (bytes) =>
    `<GetServiceDescriptionsEx><FolderName>${repeat('é', bytes / 2)}</FolderName></GetServiceDescriptionsEx>`,
  'a document type': (bytes) => `<!DOCTYPE a [${repeat('<!ENTITY a "b">', bytes)}]>`,
}).map(([name, make]) => ({
  name: `XML: ${name}`,
  path: '/services',
  contentType: 'text/xml',
  maxBytes: 60 * KIB,
  stallMs: STALL_MS,
  body: (bytes) => Buffer.from(`<e:Envelope xmlns:e="${SOAP}"><e:Body>${make(bytes)}</e:Body></e:Envelope>`),
}));

const FILES: readonly HostileInput[] = Object.entries<MakeText>({
  'nested lists': (bytes) => nested('[', ']', bytes),
  'nested objects': (bytes) => nested('{"a":', '}', bytes).replace('}', '1}'),
  'empty versions': (bytes) => `{"versions":[${repeat('{},', bytes)}{}]}`,
  'many keys': (bytes) => `{${series(bytes, (n) => `"k${n}":1,`)}"z":1}`,
  'objects of a thousand keys': (bytes) => `{"versions":[${series(bytes, (n) => `{"k${n % 900}":1},`)}{}]}`,
}).map(([name, make]) => ({
  name: `manifest: ${name}`,
  path: '/admin/system/upgrades/importManifest',
  contentType: MULTIPART,
  maxBytes: MIB,
  stallMs: JSON_STALL_MS,
  body: (bytes, token) =>
    multipart(part('token', token), part('versionManifestFile', make(bytes), '; filename="m.json"')),
}));

/** Everything that a request can carry: YAML, JSON, forms with filters and lists, multipart bodies, XML and files. */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
  ...YAML,
  ...JSON_FILES,
  ...JSON_BODIES,
  ...FORMS,
  ...MULTIPARTS,
  ...ENVELOPES,
  ...FILES,
];

/** Long values where a request has filters: in the query and in headers. The head of a request may have 16 KiB. */
export const HOSTILE_HEADS: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[] = [
  { path: `/admin/security/audit?${repeat('limit=1&', 12 * KIB)}`, headers: {} },
  { path: `/admin/security/audit?target=${repeat('%41', 12 * KIB)}`, headers: {} },
  { path: `/admin/services/A.Map/webhooks?after=${repeat('a', 12 * KIB)}`, headers: {} },
  { path: `/admin/${repeat('a/', 12 * KIB)}`, headers: {} },
  { path: `/admin/${repeat('%2F', 12 * KIB)}`, headers: {} },
  { path: `/rest/services/${repeat('..%2f', 3 * KIB)}`, headers: {} },
  { path: '/admin/mode', headers: { accept: repeat('text/html;q=0.1, ', 12 * KIB) } },
  { path: '/admin/mode', headers: { accept: `text/html${repeat(' ;', 12 * KIB)}` } },
  { path: '/services?wsdl', headers: { 'accept-encoding': repeat('gzip ; q=0 ', 12 * KIB) } },
  { path: '/services?wsdl', headers: { 'if-none-match': repeat('"a", ', 12 * KIB) } },
  { path: '/admin/mode', headers: { cookie: repeat('a=b; ', 12 * KIB) } },
  { path: '/admin/mode', headers: { authorization: `Bearer ${repeat(' ', 12 * KIB)}x` } },
  { path: '/admin/mode', headers: { 'x-forwarded-for': repeat('10.0.0.1, ', 12 * KIB) } },
];
