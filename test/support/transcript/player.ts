// Plays the rows of a table: sends a request for each, and records it with its answer.
import { isObject } from '../../../src/foundation/schema/json.ts';
import type { Fields, Part } from '../server/client.ts';
import { MULTIPART_TYPE, multipart } from '../server/client.ts';
import { headerLines, pretty } from './recorder.ts';
import type { Recorder } from './recorder.ts';

export type Who = 'anonymous' | 'viewer' | 'publisher' | 'administrator';

export interface More {
  readonly as?: Who;
  /** How the fields are sent: with GET always in the address; with POST as a form unless it says otherwise. */
  readonly form?: 'json' | 'multipart';
  /** Files of a multipart form: name of the field and what is remembered under this name. */
  readonly files?: Fields;
  /** The body as it is, instead of fields. */
  readonly raw?: string;
  readonly headers?: Fields;
  /** What to remember of the answer: a name, and the place in the body. `*` is the whole body. */
  readonly keep?: Fields;
  /** What to wait for before. */
  readonly after?: 'settled';
}

/**
 * One exchange: `METHOD path`, with the path of the operation table; `/admin/` is added if it does not begin with a slash. `{id=hook}` is
 * the name `id` of the path, with what is remembered as `hook`. Values of fields may have `{hook}` too.
 */
export type Row = readonly [call: string, fields?: Fields | object, more?: More];

export interface Player {
  play(chapter: string, rows: readonly Row[]): Promise<void>;
  /** What is remembered by name. */
  readonly memory: Map<string, string>;
  /** `METHOD path` of each operation that has succeeded. */
  readonly succeeded: ReadonlySet<string>;
}

export interface PlayerOptions {
  readonly url: string;
  readonly recorder: Recorder;
  readonly settled: () => Promise<void>;
  /** Waits for the events that a change announces. */
  readonly announced: () => Promise<void>;
}

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
  /** What the transcript shows of the body. */
  readonly shown: string;
}

/** Only ends requests that hang. */
const ANSWER_MS = 60_000;
const NAME = /\{(\w+)(?:=(\w+))?\}/g;

function createMemory() {
  const memory = new Map<string, string>();
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name: string) => memory.get(name) ?? whole);
  const address = (path: string): string =>
    path.replace(NAME, (whole, name: string, alias = name) => {
      const value = memory.get(alias);
      if (value === undefined) throw new Error(`${path}: nothing is remembered as ${alias} for ${whole}`);
      return value.split('/').map(encodeURIComponent).join('/');
    });
  return { memory, fill, address };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value at a place such as `items.0.id`. */
function placeIn(body: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at.at(Number(key));
    return isObject(at) ? at[key] : undefined;
  }, body);
}

function formOf(values: readonly (readonly [string, unknown])[], fill: (text: string) => string): URLSearchParams {
  return new URLSearchParams(values.map(([name, value]): [string, string] => [name, fill(textOf(value))]));
}

function partsOf(fields: URLSearchParams, files: Fields, memory: ReadonlyMap<string, string>): readonly Part[] {
  return [
    ...[...fields].map(([name, content]) => ({ name, content })),
    ...Object.entries(files).map(([name, key]) => ({
      name,
      content: memory.get(key) ?? key,
      fileName: `${key}.json`,
      type: 'application/json',
    })),
  ];
}

export function createPlayer({ url, recorder, settled, announced }: PlayerOptions): Player {
  const { memory, fill, address } = createMemory();
  const succeeded = new Set<string>();

  function outgoing([call, fields = {}, more = {}]: Row): Outgoing {
    const [method = '', template = ''] = call.split(' ');
    const { as = 'administrator', form, files, raw } = more;
    const path = address(template.startsWith('/') ? template : `/admin/${template}`).replace(/\/$/, '');
    const token = memory.get(as);
    const headers = {
      ...(as !== 'anonymous' && token !== undefined && { authorization: `Bearer ${token}` }),
      ...Object.fromEntries(Object.entries(more.headers ?? {}).map(([name, value]) => [name, fill(value)])),
    };
    const values = formOf(Object.entries(fields), fill);
    const send = (type: string, body: string | Buffer, shown: string): Outgoing => ({
      method,
      path,
      body,
      shown,
      headers: { 'content-type': type, ...headers },
    });
    if (raw !== undefined) return send('text/xml; charset=utf-8', raw, raw);
    if (method === 'GET')
      return { method, path: values.size === 0 ? path : `${path}?${values.toString()}`, headers, shown: '' };
    if (form === 'json') return send('application/json', fill(JSON.stringify(fields)), pretty(JSON.stringify(fields)));
    const shown = [...values].map(([name, value]) => `${name}=${value}`).join('\n');
    if (form !== 'multipart' && files === undefined)
      return send('application/x-www-form-urlencoded', values.toString(), shown);
    const names = Object.entries(files ?? {}).map(([name, key]) => `${name}=@${key}`);
    return send(MULTIPART_TYPE, multipart(partsOf(values, files ?? {}, memory)), [shown, ...names].join('\n'));
  }

  async function playRow(row: Row): Promise<void> {
    const [call, , { as = 'administrator', form = '', keep = {}, after } = {}] = row;
    if (after === 'settled') await settled();
    const { method, path, headers, body, shown } = outgoing(row);
    const response = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (method === 'POST') await announced();
    const title = [method, path, `as ${as}`, form].join(' ').trimEnd();
    const answer = [`→ ${response.status}`, ...headerLines(response.headers), '', pretty(text)];
    recorder.add(title, ...(shown === '' ? [] : [shown]), ...answer);
    const [, template = ''] = call.split(' ');
    const full = (template.startsWith('/') ? template : `/admin/${template}`).replace(/\/$/, '');
    if (response.ok) succeeded.add(`${method} ${full.replace(NAME, (_, name: string) => `{${name}}`)}`);
    for (const [name, at] of Object.entries(keep)) {
      const found = at === '*' ? text : placeIn(JSON.parse(text), at);
      if (found === undefined) throw new Error(`${title}: the answer has no ${at}: ${text}`);
      memory.set(name, textOf(found));
    }
  }

  return {
    memory,
    succeeded,
    async play(chapter, rows) {
      recorder.add(`—— ${chapter} ——`);
      for (const row of rows) await playRow(row);
    },
  };
}
