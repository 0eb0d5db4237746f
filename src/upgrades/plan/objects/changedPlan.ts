// The lines of a plan's content about objects, which have fingerprints in place of contents, and what a change of one means to a person.
import type { ObjectChange } from '../../values/plan.ts';
import type { PlannedObject } from './plannedObjects.ts';

const NONE = 'nothing';
const LABEL = /^object (\S+) in the step (\S+)$/;
const LINE = /^\w+ (\S+) over (\S+)(?: with the configuration (\S+))?$/;
const MAX_FIELDS = 3;

export function objectLabel(object: string, step: string): string {
  return `object ${object} in the step ${step}`;
}

/** What is applied, and over what, by fingerprints. */
export function objectLine({ verb, content, former, configuration }: ObjectChange): string {
  const line = `${verb} ${content ?? NONE} over ${former ?? NONE}`;
  return configuration === undefined ? line : `${line} with the configuration ${configuration}`;
}

function fieldsText(planned: PlannedObject | undefined): string {
  const fields = planned?.fields ?? [];
  if (fields.length === 0) return '';
  const texts = fields
    .slice(0, MAX_FIELDS)
    .map(({ field, before = '(absent)', after = '(absent)' }) => `${field}: ${before} → ${after}`);
  const more = fields.length - texts.length;
  return `; the upgrade would change ${texts.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** What has changed between two lines about one object. */
function reasonOf(before: string, now: string): string {
  const [, contentBefore, formerBefore] = LINE.exec(before) ?? [];
  const [, content, former] = LINE.exec(now) ?? [];
  if (content !== contentBefore) return 'the version wants another content than at the plan';
  return former === formerBefore
    ? 'the configuration that its pods read was changed after the plan'
    : 'it was changed in the deployment after the plan';
}

/** Tells a person how the plan of an object has changed; undefined if the line is not about an object. */
export function objectChangeText(
  label: string,
  [before, now]: readonly [string | undefined, string | undefined],
  objects: readonly PlannedObject[],
): string | undefined {
  const [, object] = LABEL.exec(label) ?? [];
  if (object === undefined) return undefined;
  const fields = fieldsText(objects.find((one) => one.object === object));
  if (before === undefined) return `${object}: the plan did not change it, and now it would be changed${fields}`;
  if (now === undefined) return `${object}: the plan changed it, and now it would not be changed`;
  return `${object}: ${reasonOf(before, now)}${fields}`;
}
