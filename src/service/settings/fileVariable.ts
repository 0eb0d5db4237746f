import { readFileSync } from 'node:fs';
import { reasonOf } from '../../foundation/errors.ts';
import type { FieldResult } from '../../wire/fields/fields.ts';
import { invalid, valid } from '../../wire/fields/fields.ts';
import { fileVariableOf, variableOf } from './settings.ts';

/** What is wrong with a file that cannot be read, and what would be right. */
function readProblem(error: unknown, path: string, variable: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const right = `name a file that contains the value of ${variable}`;
  if (code === 'ENOENT') return `the file "${path}" does not exist; ${right}`;
  if (code === 'EISDIR') return `"${path}" is a folder; ${right}`;
  if (code === 'EACCES')
    return `the file "${path}" cannot be read; give the user that runs Steward the right to read it`;
  return `the file "${path}" cannot be read (${reasonOf(error)}); ${right}`;
}

/** Reads the file that a variable such as STEWARD_STORE_FILE names. Most tools end a file with a newline, so one is dropped. */
export function readFileVariable(key: string, path: string): FieldResult<string> {
  const variable = variableOf(key);
  const problem = (text: string): FieldResult<string> => invalid(`${fileVariableOf(key)}: ${text}`);
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? problem(`the file "${path}" is empty; it must contain the value of ${variable}`) : valid(text);
  } catch (error) {
    return problem(readProblem(error, path, variable));
  }
}
