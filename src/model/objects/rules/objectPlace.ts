// Names objects and their fields in problems. What a person reads contains names only, never values.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { objectName } from '../bundleObject.ts';

/** What is wrong with an object, and where in it. */
export interface FieldProblem {
  /** As people write it: `spec.template.spec.containers[0].image`. Empty for the object itself. */
  readonly field: string;
  readonly text: string;
}

const SHOWN_NAME = /^[\w.:-]{1,200}\/[\w.:-]{1,253}$/;
const PLAIN_KEY = /^\w[\w-]{0,99}$/;
const SHOWN_KEY = /^[\w./:-]{1,100}$/;
const MAX_STEPS = 16;

/** `Kind/name`, if the object has both and they do no harm on a terminal. */
export function shownName(content: JsonObject): string | undefined {
  const name = objectName(content);
  return SHOWN_NAME.test(name) && !name.includes('undefined') ? name : undefined;
}

function stepText(step: string | number, n: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (PLAIN_KEY.test(step)) return n === 0 ? step : `.${step}`;
  return `[${SHOWN_KEY.test(step) ? step : '…'}]`;
}

/** Writes the path of a field. */
export function fieldName(path: readonly (string | number)[]): string {
  const shown = path.slice(0, MAX_STEPS).map(stepText).join('');
  return path.length > MAX_STEPS ? `${shown}…` : shown;
}
