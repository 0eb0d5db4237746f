// The checks of a plan with objects: what an apply or a removal would do was found without a change, and is judged here.
import { listed } from '../../../foundation/text/listed.ts';
import { actionsOf } from '../../../model/failure.ts';
import { configurationOf } from '../../../model/objects/configuration.ts';
import type { Manager } from '../../../model/workload.ts';
import type { ObjectProblem } from '../../ports/objects.ts';
import type { DraftedObject } from '../objects/draftObjects.ts';
import type { CheckInput, Verdict } from './check.ts';
import { fail, pass, unknown, warn } from './check.ts';
import { revertingManagers } from './workloadChecks.ts';

/** Checks that the bundle of the version is known, and fits the manifest. */
export function checkBundle({ objects: { problem, objects } }: CheckInput): Verdict {
  if (problem !== undefined) return fail(problem.reason, problem.advice);
  return pass(`The objects of the version are known: ${objects.filter(({ stages }) => stages.length > 0).length}.`);
}

/** How many objects are in each state, for people. */
function objectCounts(objects: readonly DraftedObject[]): string {
  const count = (is: (one: DraftedObject) => boolean): number => objects.filter(is).length;
  const wanted = objects.filter(({ stages }) => stages.length > 0);
  const parts = [
    [count(({ firstStage, former }) => firstStage >= 0 && former === undefined), 'to create'],
    [count(({ firstStage, former }) => firstStage >= 0 && former !== undefined), 'to change'],
    [count(({ stages, kept }) => stages.length === 0 && kept === undefined), 'to remove'],
    [count(({ kept }) => kept !== undefined), 'to keep'],
    [wanted.filter(({ firstStage }) => firstStage < 0).length, 'unchanged'],
  ] as const;
  const some = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  return some.length === 0 ? 'none' : some.join(', ');
}

function problemsOf(
  objects: readonly DraftedObject[],
  is: (problem: ObjectProblem) => boolean,
): readonly (ObjectProblem & { readonly object: string })[] {
  // What stays is not changed, so that nothing can refuse it.
  return objects
    .filter(({ kept }) => kept === undefined)
    .flatMap(({ object, finding }) => finding.problems.filter(is).map((one) => ({ object, ...one })));
}

function textOf({ object, reason }: { readonly object: string; readonly reason: string }): string {
  const text = reason.replace(/\.$/, '');
  return reason.includes(object) ? text : `${object}: ${text}`;
}

/** Checks that the deployment would accept every object. */
export function checkObjects({ objects: { objects, problem } }: CheckInput): Verdict {
  if (problem !== undefined) return unknown('The objects of the version are not known.', 'Plan again when they are.');
  const problems = problemsOf(objects, ({ kind }) => kind !== 'conflict');
  if (problems.length > 0)
    return fail(
      `The deployment would refuse some objects: ${listed(problems.map(textOf), '; ')}.`,
      [...new Set(problems.map(({ advice }) => advice))].join(' '),
      ...actionsOf(problems),
    );
  const open = objects.filter(({ finding }) => finding.kind === 'unknown').map(({ object }) => object);
  const text = `Objects: ${objectCounts(objects)}.`;
  if (open.length === 0) return pass(text);
  return warn(
    `${text} These are compared when their definition is established: ${listed(open)}.`,
    'They cannot be checked before the job.',
  );
}

function wroteOnce({ finding, firstStage, object }: DraftedObject): readonly string[] {
  const names = firstStage < 0 ? [] : finding.managers.filter(({ reconciles }) => !reconciles);
  return names.length === 0 ? [] : [`${object} (${names.map(({ name }: Manager) => name).join(', ')})`];
}

/** The objects that another manager would revert, but for workloads whose images it manages: another check reports those. */
export function conflictingObjects(input: Pick<CheckInput, 'objects' | 'plan' | 'inventory'>) {
  const reported = revertingManagers(input);
  return problemsOf(input.objects.objects, ({ kind }) => kind === 'conflict').filter(
    ({ object }) => !reported.has(object),
  );
}

/** Checks that no other manager would revert a field that the plan changes. One that wrote it once is a warning. */
export function checkObjectOwners(input: CheckInput): Verdict {
  const conflicts = conflictingObjects(input);
  if (conflicts.length > 0)
    return fail(
      `Other managers would revert some objects: ${listed(conflicts.map(textOf), '; ')}.`,
      [...new Set(conflicts.map(({ advice }) => advice))].join(' '),
      ...actionsOf(conflicts),
    );
  const taken = input.objects.objects.flatMap(wroteOnce);
  if (taken.length === 0) return pass('Fields that change have no other manager.');
  return warn(
    `Steward takes over fields that other tools wrote: ${listed(taken)}.`,
    'The next run of such a tool with its old files would restore the old values.',
  );
}

/** Warns of pods of the version before, which may read configuration of the next one until they are updated. */
export function checkConfiguration({ objects: { objects, contents }, inventory }: CheckInput): Verdict {
  const changed = new Set(
    objects.filter(({ firstStage, former }) => firstStage >= 0 && former !== undefined).map(({ object }) => object),
  );
  const present = new Set(inventory.workloads.map(({ name }) => name));
  const readers = objects.flatMap(({ object, part, stages }) => {
    const content = contents.get(stages.find((stage) => stage !== undefined)?.content ?? '');
    if (part !== 'workloads' || content === undefined || !present.has(object)) return [];
    const read = configurationOf(content).filter((name) => changed.has(name));
    return read.length === 0 ? [] : [`${object} (${read.join(', ')})`];
  });
  if (readers.length === 0) return pass('No running workload reads configuration that changes.');
  return warn(
    `Until they are updated, pods of the version before may read new configuration: ${listed(readers)}.`,
    'Check that it fits both versions, or give changed configuration a new name in each version.',
  );
}
