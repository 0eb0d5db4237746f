// Finds fields that a request must not have: unknown ones, a dry run where there is none, and settings in a request that only reads
// them. A field that is not understood is never ignored where it could narrow or soften what a request does.
import { nearestName } from '../../../foundation/text/nearestName.ts';
import type { Fields } from '../../../wire/fields/fields.ts';
import type { Form } from './form.ts';
import { notText } from './form.ts';

/** Fields that every operation takes. `_` is what some clients add to get past caches. */
const COMMON_FIELDS = ['f', 'token', '_', 'csrfToken'];
/** The records of settings have it, so a record that is posted back does too. It is ignored. */
const STATUS = 'status';
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
  /** Set if only a POST takes the fields, because any other request reads. */
  readonly isSettings: boolean;
}

export type FindUnknown = (body: Form, query: Form, method: string) => readonly string[];

/** Makes the check for one operation. It returns a problem for each field that must not be there. */
export function createFindUnknown({ fields, ignoresUnknown, changes, isSettings }: FieldRules): FindUnknown {
  const own = Object.keys(fields);
  const known: ReadonlySet<string> = new Set([...COMMON_FIELDS, ...own, ...(isSettings ? [STATUS] : [])]);

  function explain(name: string): string {
    const shown = name.slice(0, LONGEST_REPORTED);
    if (DRY_RUN.test(name) && !known.has('dryRun'))
      return `${shown}: this operation has no dry run; nothing was changed`;
    if (own.length === 0) return `${shown}: unknown field; this operation takes ${COMMON_FIELDS.join(', ')} only`;
    return `${shown}: unknown field; the nearest known field is ${nearestName(name, own)} (known: ${own.join(', ')})`;
  }

  /** A change that is sent with GET would have no effect, so it is refused on the compat interface too. */
  function isUnreadSetting(name: string, method: string): boolean {
    return isSettings && method !== 'POST' && known.has(name) && !COMMON_FIELDS.includes(name);
  }

  function problemOf(form: Form, name: string, method: string): string | undefined {
    const value = form[name];
    if (value !== '' && isUnreadSetting(name, method))
      return `${name}: only POST takes this field; ${method} reads the settings, and nothing was changed`;
    if (known.has(name)) {
      // A dry run without a value would be a real run.
      if (name === 'dryRun' && value === '') return 'dryRun: must be true or false, not empty';
      const isRead = typeof value === 'string' || value === undefined || own.includes(name) || name === 'f';
      return isRead ? undefined : `${name}: ${notText(value)}`;
    }
    const isDryRun = changes && DRY_RUN.test(name);
    return isDryRun || (value !== '' && !ignoresUnknown) ? explain(name) : undefined;
  }

  return (body, query, method) => {
    let found = NO_PROBLEMS;
    for (const form of [body, query]) {
      for (const name in form) {
        const problem = problemOf(form, name, method);
        if (problem === undefined) continue;
        if (found.length === MOST_REPORTED) return [...found, 'and more unknown fields'];
        found = [...found, problem];
      }
    }
    return found;
  };
}
