import { StewardError } from '../../../foundation/errors.ts';
import type { Fields, FieldResult, FieldReader, SentFile, FieldValues } from '../../../wire/operations/fields.ts';
import { invalid } from '../../../wire/operations/fields.ts';
import type { Files, Form, FormValue } from './form.ts';
import { field, notText } from './form.ts';

function readOne<T>(
  reader: FieldReader<T>,
  given: FormValue | undefined,
  sentFile: SentFile | undefined,
): FieldResult<T> {
  if (typeof given === 'string') return reader.read(given);
  if (given === undefined)
    return sentFile !== undefined && reader.readFile !== undefined ? reader.readFile(sentFile) : invalid('is needed');
  return 'kind' in given && reader.json !== undefined ? reader.read(given.raw) : invalid(notText(given));
}

/** An empty file counts as absent if the field is optional. */
function sentFileOf(files: Files, name: string, isNeeded: boolean): SentFile | undefined {
  const found = files.get(name);
  return found?.bytes.length === 0 && !isNeeded ? undefined : found;
}

/** Reads every field of an operation. The error names every problem at once, `knownProblems` included. */
export function readFields<F extends Fields>(
  fields: F,
  body: Form,
  query: Form,
  files: Files,
  knownProblems: readonly string[],
): FieldValues<F> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of Object.keys(fields)) {
    const row = fields[name];
    if (row === undefined) continue;
    const sentFile = sentFileOf(files, name, row.isRequired);
    const given = field(body, query, name);
    if (given === undefined && sentFile === undefined) {
      if (row.isRequired) problems.push(`${name}: is needed. ${row.description}`);
      continue;
    }
    const read = readOne(row.reader, given, sentFile);
    if (read.kind === 'invalid') problems.push(`${name}: ${read.problem}`);
    else values[name] = read.value;
  }
  problems.push(...knownProblems);
  if (problems.length > 0) {
    throw new StewardError(
      'invalid',
      problems.length === 1 ? 'The request has an invalid field.' : 'The request has invalid fields.',
      { details: problems },
    );
  }
  return values as FieldValues<F>;
}
