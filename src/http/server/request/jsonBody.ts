import { isUtf8 } from 'node:buffer';
import { StewardError, invalidField } from '../../../foundation/errors.ts';
import { isObject, parseJson } from '../../../foundation/schema/json.ts';
import { TOO_DEEP, sizeProblem } from '../../../foundation/schema/jsonText.ts';
import { TOO_MANY_KEYS, structureProblem } from '../../../wire/documents/jsonStructure.ts';
import { rawMembers } from '../../../wire/documents/rawJson.ts';
import { LIMITS } from '../limits.ts';
import type { Form, FormValue } from './form.ts';
import { NO_FIELDS, tooManyFields } from './form.ts';

/** A text is a field as in a form, `null` is an empty one, and any other value keeps the text that it has in the body. */
function fieldOf(value: unknown, raw: string): FormValue {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return { kind: 'boolean', raw };
  if (typeof value === 'number') return { kind: 'number', raw };
  return { kind: Array.isArray(value) ? 'array' : 'object', raw };
}

/** Parses a JSON body: an object whose keys are the fields. */
export function parseJsonBody(body: Buffer): Form {
  if (!isUtf8(body)) throw new StewardError('invalid', 'The body is not valid UTF-8.');
  const text = body.toString().replace(/^\uFEFF/, '');
  if (text === '') return NO_FIELDS;
  const size = sizeProblem(text);
  if (size !== undefined && size !== TOO_DEEP) throw new StewardError('invalid', `The body ${size}.`);
  const problem = structureProblem(text, LIMITS.fields);
  if (problem === TOO_MANY_KEYS) throw tooManyFields();
  if (problem !== undefined) throw invalidField(problem.field, problem.text);
  const parsed = parseJson(text);
  if (!isObject(parsed)) {
    const reason = parsed === undefined ? 'is not valid JSON' : 'must be a JSON object whose keys are the fields';
    throw new StewardError('invalid', `The body ${reason}.`);
  }
  const raw = rawMembers(text);
  const form: Record<string, FormValue> = Object.create(null);
  for (const [name, value] of Object.entries(parsed)) form[name] = fieldOf(value, raw.get(name) ?? '');
  return form;
}
