// The objects of a plan as people see them, grouped by what happens to them. Values of Secrets are shown as their fingerprints.
import type { ObjectAction } from '../../../model/objects/objectAction.ts';
import { OBJECT_ACTIONS } from '../../../model/objects/objectAction.ts';
import type { ObjectFinding } from '../../ports/objects.ts';
import type { Plan, StepId } from '../../values/plan.ts';
import { changesIn } from '../../values/plan.ts';
import type { DraftedObject, DraftedObjects } from './draftObjects.ts';

export interface PlannedField {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly managers: readonly string[];
}

export interface PlannedObject {
  readonly object: string;
  readonly action: ObjectAction;
  /** Undefined if no step changes it. */
  readonly step: StepId | undefined;
  readonly fields: readonly PlannedField[];
  /** Why it cannot be changed, or stays. */
  readonly reasons: readonly string[];
  /** Why the change cannot be undone; undefined if it can. */
  readonly final: string | undefined;
}

const MAX_VALUE_LENGTH = 300;
/** What of a Secret is not secret. Annotations may contain a copy of its values. */
const OPEN_FIELDS = /^(?:type$|immutable$|metadata\.labels\b)/;
const MASK_LENGTH = 16;

function isSecretValue(object: string, field: string): boolean {
  return /^secret\//i.test(object) && !OPEN_FIELDS.test(field);
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

function fieldsOf({ object, fields }: ObjectFinding, fingerprint: (value: unknown) => string): readonly PlannedField[] {
  return fields.map(({ field, before, after, managers }) => {
    const shown = (value: unknown): string | undefined => {
      if (value === undefined) return undefined;
      return isSecretValue(object, field) ? `hmac:${fingerprint(value).slice(-MASK_LENGTH)}` : valueText(value);
    };
    return { field, before: shown(before), after: shown(after), managers };
  });
}

function actionOf({ finding, stages, firstStage, kept }: DraftedObject): ObjectAction {
  if (kept !== undefined) return 'keep';
  if (finding.problems.some(({ kind }) => kind === 'conflict')) return 'conflict';
  if (stages.length === 0) return 'remove';
  if (finding.kind === 'unknown') return 'unknown';
  if (firstStage < 0) return 'unchanged';
  return finding.kind === 'create' ? 'create' : 'change';
}

/** Shows every object once. */
export function plannedObjects(
  { objects }: DraftedObjects,
  { steps }: Pick<Plan, 'steps'>,
  fingerprint: (value: unknown) => string,
): readonly PlannedObject[] {
  const stepOf = new Map<string, StepId>();
  for (const step of steps)
    for (const { workload } of changesIn(step)) if (!stepOf.has(workload)) stepOf.set(workload, step.id);
  const shown = objects.map((one): PlannedObject => {
    const { object, finding, kept } = one;
    const action = actionOf(one);
    return {
      object,
      action,
      step: kept === undefined ? stepOf.get(object) : undefined,
      fields: action === 'unchanged' || action === 'keep' ? [] : fieldsOf(finding, fingerprint),
      reasons: kept === undefined ? finding.problems.map(({ reason }) => reason) : [kept],
      final: finding.final,
    };
  });
  const place = ({ action }: PlannedObject): number => OBJECT_ACTIONS.indexOf(action);
  return shown.toSorted((one, other) => place(one) - place(other) || (one.object < other.object ? -1 : 1));
}
