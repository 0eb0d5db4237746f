// Finds fields that a request must not have: unknown ones, and a dry run where there is none. A field that is not
// understood is never ignored where it could narrow or soften what a request does.
import { nearestName } from '../../../foundation/nearestName.ts';
import type { Fields } from '../../../wire/operations/fields.ts';
import type { Form } from './form.ts';
import { notText } from './form.ts';

/** Fields that every operation takes. `_` is what some clients add to get past caches. */
const COMMON_FIELDS = ['f', 'token', '_', 'csrfToken'];
const DRY_RUN = /^dry[-_ ]?run$/i;
const MOST_REPORTED = 10;
const LONGEST_REPORTED = 100;
const NO_PROBLEMS: readonly string[] = [];

export interface FieldRules {
  readonly fields: Fields;
  /** Set where older clients send more than they need. */
  readonly ignoresUnknown: boolean;
  /** Set if the operation changes something. A dry run is then refused unless `dryRun` is one of its fields. */
  readonly changes: boolean;
}

export type FindUnknown = (body: Form, query: Form) => readonly string[];

/** Makes the check for one operation. It returns a problem for each field that must not be there. */
export function createFindUnknown({ fields, ignoresUnknown, changes }: FieldRules): FindUnknown {
  const own = Object.keys(fields);
  const known: ReadonlySet<string> = new Set([...COMMON_FIELDS, ...own]);

  function explain(name: string): string {
    const shown = name.slice(0, LONGEST_REPORTED);
    if (DRY_RUN.test(name) && !known.has('dryRun'))
      return `${shown}: this operation has no dry run; nothing was changed`;
    if (own.length === 0) return `${shown}: unknown field; this operation takes ${COMMON_FIELDS.join(', ')} only`;
    return `${shown}: unknown field; the nearest known field is ${nearestName(name, own)} (known: ${own.join(', ')})`;
  }

  function problemOf(form: Form, name: string): string | undefined {
    const value = form[name];
    if (known.has(name)) {
      // A dry run without a value would be a real run.
      if (name === 'dryRun' && value === '') return 'dryRun: must be true or false, not empty';
      const isRead = typeof value === 'string' || value === undefined || own.includes(name) || name === 'f';
      return isRead ? undefined : `${name}: ${notText(value)}`;
    }
    const isDryRun = changes && DRY_RUN.test(name);
    return isDryRun || (value !== '' && !ignoresUnknown) ? explain(name) : undefined;
  }

  return (body, query) => {
    let found = NO_PROBLEMS;
    for (const form of [body, query]) {
      for (const name in form) {
        const problem = problemOf(form, name);
        if (problem === undefined) continue;
        if (found.length === MOST_REPORTED) return [...found, 'and more unknown fields'];
        found = [...found, problem];
      }
    }
    return found;
  };
}
