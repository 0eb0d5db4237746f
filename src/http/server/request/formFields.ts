import { invalidRequest } from '../../../foundation/errors.ts';
import { isPrintable } from '../../../foundation/schema/text.ts';
import type { Field, Fields, FieldResult, FieldReader, SentFile, FieldValues } from '../../../wire/fields/fields.ts';
import { invalid, problemsOf } from '../../../wire/fields/fields.ts';
import type { Files, Form, FormValue } from './form.ts';
import { field, notText } from './form.ts';

function readOne<T>(
  reader: FieldReader<T>,
  given: FormValue | undefined,
  sentFile: SentFile | undefined,
): FieldResult<T> {
  if (typeof given === 'string') return reader.read(given);
  if (given === undefined)
    return sentFile !== undefined && reader.readFile !== undefined ? reader.readFile(sentFile) : invalid('is required');
  return 'kind' in given && reader.json !== undefined ? reader.read(given.raw) : invalid(notText(given));
}

const LONGEST_SHOWN = 80;

/** Adds the value that was given to a rule that it breaks, unless the value is secret, long or unprintable. */
function withGiven(problem: string, { isSecret }: FieldReader<unknown>, given: FormValue | undefined): string {
  if (given === undefined || isSecret === true) return problem;
  const text = typeof given === 'string' ? JSON.stringify(given) : 'kind' in given ? given.raw : undefined;
  if (text === undefined || text.length > LONGEST_SHOWN || !isPrintable(text)) return problem;
  return /^must be (?!sent |.*(;|, not ))/.test(problem) ? `${problem}, not ${text}` : problem;
}

/** An empty file counts as absent if the field is optional, unless its reader refuses it. */
function sentFileOf(files: Files, name: string, { isRequired, reader }: Field): SentFile | undefined {
  const found = files.get(name);
  const canBeAbsent = !isRequired && reader.refusesEmptyFile !== true;
  return found?.bytes.length === 0 && canBeAbsent ? undefined : found;
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
    const sentFile = sentFileOf(files, name, row);
    const given = field(body, query, name);
    if (given === undefined && sentFile === undefined) {
      if (row.isRequired) problems.push(`${name}: is required. ${row.description}`);
      continue;
    }
    const read = readOne(row.reader, given, sentFile);
    if (read.kind === 'valid') values[name] = read.value;
    else problems.push(...problemsOf(read).map((problem) => `${name}: ${withGiven(problem, row.reader, given)}`));
  }
  problems.push(...knownProblems);
  if (problems.length > 0) throw invalidRequest(problems);
  return values as FieldValues<F>;
}
