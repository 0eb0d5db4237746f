// Says what an act on an object would do now. A plan shows it, and `beginObject` does it.
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { valueAt } from '../../../../foundation/schema/json.ts';
import type { Definition } from '../../../../model/objects/definitions.ts';
import { definitionOf } from '../../../../model/objects/definitions.ts';
import { isHook, markOf } from '../../../../model/objects/objectMarks.ts';
import { templatePath } from '../../../../model/objects/podTemplate.ts';
import type { Manager } from '../../../../model/workload.ts';
import type { FieldChange, ObjectFinding, ObjectProblem, WantedObject } from '../../../../upgrades/ports/objects.ts';
import { forbiddenFailure } from '../../faults/apiFaults.ts';
import type { FoundProblem, Owner } from '../../faults/objectFaults.ts';
import { contendersOf, refusalOf } from '../../faults/objectFaults.ts';
import type { LeafChange } from '../../fields/applyFields.ts';
import { changesOf, formerOf, withChanges } from '../../fields/applyFields.ts';
import type { FieldPath } from '../../fields/leaves.ts';
import { fieldText, pathId } from '../../fields/leaves.ts';
import type { Snapshot } from '../../state/documents.ts';
import { activeFaults } from '../../state/documents.ts';
import type { InjectedFault } from '../../state/injectedFault.ts';
import { blockedNow } from '../startRollout.ts';
import { establishedDefinitions, instancesOf, isServed, needsDefinition, notServed } from './definitionsServed.ts';
import { conflictProblem, emptyProblem, finalChange, finalRemoval, immutableProblem } from './objectProblems.ts';
import type { PresentObject } from './presentObject.ts';
import { imagePaths, presentObject } from './presentObject.ts';
import { wantedContent } from './wantedContent.ts';

export interface FindingContext extends Snapshot {
  readonly active: readonly InjectedFault[];
  /** The definitions that are established; empty if no kind needs one. */
  readonly definitions: readonly Definition[];
  /** Those that the same job applies. */
  readonly coming: readonly Definition[];
}

export interface FoundObject {
  readonly finding: ObjectFinding;
  readonly present: PresentObject;
  /** What an apply would apply, with all marks. */
  readonly target: JsonObject | undefined;
  readonly changes: readonly LeafChange[];
  /** The fault that causes the first problem, if one does. */
  readonly fault?: InjectedFault | undefined;
}

export function findingContext(snapshot: Snapshot, wanted: readonly WantedObject[]): FindingContext {
  const { documents, now } = snapshot;
  return {
    ...snapshot,
    active: activeFaults(snapshot),
    definitions: wanted.some(({ object }) => needsDefinition(object)) ? establishedDefinitions(documents, now) : [],
    coming: wanted.flatMap(({ content }) => (content && definitionOf(content)) ?? []),
  };
}

const DEFAULT_WAVE = 50;

/** Where a workload belongs, by its labels. Undefined for what is not rolled out. */
export function placeOf(content: JsonObject): ObjectFinding['place'] {
  if (templatePath(content) === undefined || isHook(content)) return undefined;
  const component = markOf(content, 'app.kubernetes.io/component') ?? String(valueAt(content, 'metadata', 'name'));
  const wave = markOf(content, 'steward/wave') ?? '';
  return {
    component,
    module: markOf(content, 'app.kubernetes.io/part-of') ?? component,
    wave: /^\d{1,9}$/.test(wave) ? Number(wave) : DEFAULT_WAVE,
    isSteward: markOf(content, 'steward/self') === 'true',
  };
}

const NOTHING = { fields: [], former: undefined, managers: [] } as const;

function asProblem(kind: ObjectProblem['kind'], { reason, advice, nextActions }: Omit<ObjectProblem, 'kind'>) {
  return { kind, reason, advice, ...(nextActions && { nextActions }) } satisfies ObjectProblem;
}

function distinctManagers(owners: readonly Owner[]): readonly Manager[] {
  const managers = owners.map(({ name, reconciles, remedy }) => ({ name, reconciles, ...(remedy && { remedy }) }));
  return [...new Map(managers.map((one) => [one.name, one])).values()];
}

function owns({ fields }: Owner, path: FieldPath): boolean {
  return fields === undefined || fields.has(pathId(path));
}

/** What is asked, and what is there. */
/** How an act is meant: whether its content is what was there before, and whether faults strike it. */
interface Meaning {
  readonly isUndo: boolean;
  readonly isStruck: boolean;
}

const PLANNED: Meaning = { isUndo: false, isStruck: true };

interface Question {
  readonly wanted: WantedObject;
  readonly isStruck: boolean;
  readonly present: PresentObject;
  readonly owners: readonly Owner[];
  readonly context: FindingContext;
}

function conflictsOf({ wanted, owners }: Question, fields: readonly FieldChange[]): readonly FoundProblem[] {
  if (wanted.isAcknowledged === true) return [];
  return owners.flatMap((owner) => {
    const theirs = fields.filter(({ managers }) => managers.includes(owner.name));
    const isConcerned = wanted.content === undefined || theirs.length > 0;
    return owner.reconciles && isConcerned ? [conflictProblem(wanted.object, owner, theirs)] : [];
  });
}

function problemsOf(question: Question, fields: readonly FieldChange[]): readonly FoundProblem[] {
  const { wanted, isStruck, present, context } = question;
  const { object, content } = wanted;
  const { live, workload } = present;
  const forbidden = forbiddenFailure(context.active);
  const blocked = workload?.state.blocked;
  const plain: readonly (ObjectProblem | undefined)[] = [
    forbidden && asProblem('forbidden', forbidden),
    isStruck ? content && live && immutableProblem(object, live, fields) : undefined,
    content && emptyProblem(object, content),
    blocked === undefined ? undefined : asProblem('refused', blockedNow(object, blocked)),
  ];
  const refusal = isStruck ? refusalOf(context.active, object, content === undefined) : undefined;
  return [
    ...plain.flatMap((problem) => (problem === undefined ? [] : [{ problem }])),
    ...conflictsOf(question, fields),
    ...(refusal === undefined ? [] : [refusal]),
  ];
}

type Answer = Omit<ObjectFinding, 'object' | 'problems'>;

function answered(question: Question, answer: Answer, found: readonly FoundProblem[], more: Partial<FoundObject> = {}) {
  const { wanted, present } = question;
  const problems = found.map(({ problem }) => problem);
  const finding: ObjectFinding = { object: wanted.object, ...answer, problems };
  return { finding, present, target: undefined, changes: [], fault: found[0]?.fault, ...more } satisfies FoundObject;
}

function keptReason({ live, isOurs }: PresentObject, { documents, now }: Snapshot): string | undefined {
  if (!isOurs) return 'it does not belong to this installation of Steward';
  const definition = live && definitionOf(live);
  const instance = definition && instancesOf(definition, documents, now)[0];
  return instance === undefined ? undefined : `objects of its kind exist, such as \`${instance}\``;
}

function findRemoval(question: Question): FoundObject {
  const { present, owners, context } = question;
  const { live } = present;
  if (live === undefined) return answered(question, { ...NOTHING, kind: 'absent' }, []);
  const kept = keptReason(present, context);
  if (kept !== undefined) return answered(question, { ...NOTHING, kind: 'keep', kept }, []);
  const final = finalRemoval(live);
  const answer = { kind: 'remove', fields: [], former: live, managers: distinctManagers(owners) } as const;
  return answered(question, { ...answer, ...(final !== undefined && { final }) }, problemsOf(question, []));
}

/** The fields that would change. A field that a manager reconciles stays if the request acknowledges that manager. */
export function changesTo(
  wanted: WantedObject,
  present: PresentObject,
  live: JsonObject,
  target: JsonObject,
): readonly LeafChange[] {
  const keepers = wanted.isAcknowledged === true ? present.owners.filter(({ reconciles }) => reconciles) : [];
  const isKept = (path: FieldPath): boolean => keepers.some(({ fields }) => fields.includes(pathId(path)));
  return changesOf({ live, content: present.content }, target, isKept);
}

function findChange(question: Question, live: JsonObject, target: JsonObject): FoundObject {
  const { present, owners } = question;
  const changes = changesTo(question.wanted, present, live, target);
  const former = formerOf({ live, content: present.content }, target);
  if (changes.length === 0) return answered(question, { ...NOTHING, kind: 'unchanged', former }, [], { target });
  const concerned = owners.filter((owner) => changes.some(({ path }) => owns(owner, path)));
  const fields = changes.map(({ path, before, after }) => {
    const managers = new Set(concerned.filter((owner) => owns(owner, path)).map(({ name }) => name));
    return { field: fieldText(path), before, after, managers: [...managers] };
  });
  const final = finalChange(live, withChanges(live, changes));
  return answered(
    question,
    { kind: 'change', fields, former, managers: distinctManagers(concerned), ...(final !== undefined && { final }) },
    problemsOf(question, fields),
    { target, changes },
  );
}

function findCreation(question: Question, target: JsonObject): FoundObject {
  const { wanted, context } = question;
  const changes = changesOf({ live: {} }, target);
  if (!isServed(target, context.definitions)) {
    if (isServed(target, context.coming)) return answered(question, { ...NOTHING, kind: 'unknown' }, [], { target });
    const problem = notServed(wanted.object, target);
    return answered(question, { ...NOTHING, kind: 'create' }, [{ problem }], { target, changes });
  }
  const place = placeOf(target);
  return answered(question, { ...NOTHING, kind: 'create', ...(place && { place }) }, problemsOf(question, []), {
    target,
    changes,
  });
}

/** Finds what an act would do. An undo restores what was there, so that no fault strikes it again, except a conflict. */
export function findObject(
  wanted: WantedObject,
  context: FindingContext,
  { isUndo, isStruck }: Meaning = PLANNED,
): FoundObject {
  const present = presentObject(context.documents, wanted.object, context.now);
  const { live, owners } = present;
  const imageFields = new Set(present.workload && live ? imagePaths(live).map(pathId) : []);
  const real = owners.map(({ name, reconciles, fields }) => ({ name, reconciles, fields: new Set(fields) }));
  const added = live === undefined ? [] : contendersOf(context.active, wanted.object, imageFields);
  const question = { wanted, isStruck, present, owners: [...real, ...added], context };
  const target = wantedContent(wanted, live, isUndo);
  if (target === undefined) return findRemoval(question);
  return live === undefined ? findCreation(question, target) : findChange(question, live, target);
}
