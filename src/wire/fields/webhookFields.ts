// Readers of the fields that only webhooks and events have.
import { nearestName } from '../../foundation/text/nearestName.ts';
import { isObject, readJson } from '../../foundation/schema/json.ts';
import { sizeProblem } from '../../foundation/schema/jsonText.ts';
import { noSuchField } from '../../foundation/schema/schema.ts';
import type { FieldResult, FieldReader } from './fields.ts';
import { invalid, invalidDocument, valid, webAddress } from './fields.ts';
import { rawElements, rawMembers } from '../documents/rawJson.ts';

export interface SentEvent {
  readonly type: string;
  /** The JSON text as sent. */
  readonly payload: string;
  readonly eventId: string | undefined;
}

export const MAX_PAYLOAD = 256 * 1024;
const MAX_EVENTS = 1000;
/** An answer names this many wrong entries at the most. */
const MAX_PROBLEMS = 20;
const TYPE = /^[\p{L}\p{N}_-][\p{L}\p{N}_.:/-]{0,119}$/u;
const TYPE_RULE = 'must be 1 to 120 letters, digits, "_", "-", ".", ":" or "/"';
const EVENT_ID = /^[\x21-\x7e]{1,200}$/;
const HEADER_NAME = /^[A-Za-z\d!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/;
const MAX_HEADERS = 20;
/** Longer than that many headers can be, with all their characters escaped. */
const MAX_HEADERS_LENGTH = 512 * 1024;
/** Answers have this instead of the values of custom headers. */
export const HIDDEN = '(hidden)';
/** Headers that Steward sets, and headers that change how a request is transported. */
const RESERVED_HEADERS =
  /^(host|content-.*|webhook-.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|cookie2?)$/i;

function payloadSizeProblem(given: string): string | undefined {
  const bytes = Buffer.byteLength(given);
  return bytes > MAX_PAYLOAD ? `must have at most ${MAX_PAYLOAD} bytes, not ${bytes}` : undefined;
}

export const payload: FieldReader<string> = {
  schema: { description: 'JSON, at most 256 KiB' },
  json: { description: 'Any JSON value of at most 256 KiB; a string is read as JSON text' },
  read(given) {
    const problem = payloadSizeProblem(given);
    if (problem !== undefined) return invalid(problem);
    const read = readJson(given);
    return read.kind === 'invalid' ? read : valid(given);
  },
};

export const eventType: FieldReader<string> = {
  schema: { type: 'string', pattern: TYPE.source },
  read: (given) => (TYPE.test(given) ? valid(given) : invalid(TYPE_RULE)),
};

const EVENT_ID_RULE = 'must be 1 to 200 printable ASCII characters without spaces';

export const eventId: FieldReader<string> = {
  schema: { type: 'string', pattern: EVENT_ID.source },
  read: (given) => (EVENT_ID.test(given) ? valid(given) : invalid(EVENT_ID_RULE)),
};

const EVENT_KEYS = ['event', 'payload', 'eventId'];

/** Reads an entry of a list that was parsed; `raw` is its text, from which the payload is passed on as it was sent. */
function readEvent(found: unknown, raw: string, n: number): FieldResult<SentEvent> {
  const wrong = (problem: string): FieldResult<SentEvent> => invalid(`entry ${n}: ${problem}`);
  if (!isObject(found)) return wrong('must be an object with event, payload and, optionally, eventId');
  const unknown = Object.keys(found).find((key) => !EVENT_KEYS.includes(key));
  if (unknown !== undefined)
    return wrong(`${noSuchField(unknown)}; the nearest known field is ${nearestName(unknown, EVENT_KEYS)}`);
  const { event, eventId: id } = found;
  if (typeof event !== 'string' || !TYPE.test(event)) return wrong(`event ${TYPE_RULE}`);
  if (id !== undefined && (typeof id !== 'string' || !EVENT_ID.test(id))) return wrong(`eventId ${EVENT_ID_RULE}`);
  const sent = rawMembers(raw).get('payload');
  if (sent === undefined) return wrong('payload is required');
  const problem = payloadSizeProblem(sent);
  return problem === undefined ? valid({ type: event, payload: sent, eventId: id }) : wrong(`payload ${problem}`);
}

const EVENTS_RULE = `must be a JSON array of 1 to ${MAX_EVENTS} objects with event, payload and, optionally, eventId`;

export const eventList: FieldReader<readonly SentEvent[]> = {
  schema: { type: 'string', description: 'A JSON array of objects with event, payload and, optionally, eventId' },
  json: { type: 'array', items: { type: 'object' }, minItems: 1, maxItems: MAX_EVENTS },
  read(given) {
    const parsed = readJson(given, sizeProblem(given) ?? EVENTS_RULE);
    if (parsed.kind === 'invalid') return parsed;
    const found = parsed.value;
    if (!Array.isArray(found) || found.length === 0 || found.length > MAX_EVENTS) return invalid(EVENTS_RULE);
    const events: SentEvent[] = [];
    const problems: string[] = [];
    for (const [n, raw] of rawElements(given).entries()) {
      const read = readEvent(found[n], raw, n + 1);
      if (read.kind === 'valid') events.push(read.value);
      else if (problems.push(read.problem) === MAX_PROBLEMS) break;
    }
    return problems.length === 0 ? valid(events) : invalidDocument(problems);
  },
};

/** Reads a JSON array, or names separated by commas. */
export const changeTypes: FieldReader<readonly string[]> = {
  schema: { type: 'string', description: '["*"], or a JSON array of event types' },
  json: { type: 'array', items: { type: 'string' } },
  read(given) {
    const rule = 'must be ["*"] or a JSON array of 1 to 100 event types';
    const read = given.startsWith('[') ? readJson(given, rule) : valid(given.split(',').map((one) => one.trim()));
    if (read.kind === 'invalid') return read;
    const found = read.value;
    const isRight =
      Array.isArray(found) &&
      found.length > 0 &&
      found.length <= 100 &&
      found.every((one) => typeof one === 'string' && (one === '*' || TYPE.test(one)));
    if (!isRight) return invalid(rule);
    // A type beside "*" is kept: "*" does not stand for the events about other webhooks.
    return valid([...new Set(found as readonly string[])]);
  },
};

export const headers: FieldReader<Readonly<Record<string, string>>> = {
  isSecret: true,
  schema: { type: 'string', description: 'A JSON object of header names and values' },
  json: { type: 'object', additionalProperties: { type: 'string' } },
  read(given) {
    if (given.length > MAX_HEADERS_LENGTH) return invalid(`must have at most ${MAX_HEADERS_LENGTH} characters`);
    const rule = 'must be a JSON object of header names and values';
    const read = readJson(given, rule);
    if (read.kind === 'invalid') return read;
    if (!isObject(read.value)) return invalid(rule);
    const entries = Object.entries(read.value);
    if (entries.length > MAX_HEADERS) return invalid(`must have at most ${MAX_HEADERS} entries`);
    const names = new Map<string, string>();
    for (const [name, value] of entries) {
      if (!HEADER_NAME.test(name) || name === '__proto__')
        return invalid(`"${name.slice(0, 100)}" is not a valid header name`);
      if (RESERVED_HEADERS.test(name)) return invalid(`"${name}" is set by Steward and cannot be a custom header`);
      const same = names.get(name.toLowerCase());
      if (same !== undefined)
        return invalid(`"${same}" and "${name}" are the same header, because case does not count; give it once`);
      names.set(name.toLowerCase(), name);
      if (value === HIDDEN)
        return invalid(
          `the value of "${name}" is the placeholder that Steward shows; send the real value, or leave headers out`,
        );
      if (typeof value !== 'string' || !HEADER_VALUE.test(value))
        return invalid(`the value of "${name}" must be printable ASCII of at most 4096 characters`);
    }
    return valid(Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string])));
  },
};

export const headerName: FieldReader<string> = {
  schema: { type: 'string', pattern: HEADER_NAME.source },
  read(given) {
    if (given.toLowerCase() === 'none') return valid('');
    if (!HEADER_NAME.test(given) || given === '__proto__') return invalid('must be a valid header name, or none');
    return RESERVED_HEADERS.test(given)
      ? invalid(`must not be "${given}", which Steward sets itself`)
      : valid(given.toLowerCase());
  },
};

export const signatureKey: FieldReader<string> = {
  isSecret: true,
  schema: { type: 'string', format: 'password', minLength: 16, maxLength: 512 },
  read(given) {
    if (!/^[\x21-\x7e]{16,512}$/.test(given))
      return invalid('must be 16 to 512 printable ASCII characters without spaces, preferably whsec_ and base64');
    if (
      given.startsWith('whsec_') &&
      !/^whsec_(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(given)
    )
      return invalid('must have valid base64 with padding after whsec_');
    return valid(given);
  },
};

export const receiverAddress: FieldReader<string> = {
  schema: webAddress.schema,
  read(given) {
    const read = webAddress.read(given);
    if (read.kind === 'invalid') return read;
    const { hash, href } = new URL(read.value);
    return hash === '' ? valid(href) : invalid('must not have a fragment (#…)');
  },
};
