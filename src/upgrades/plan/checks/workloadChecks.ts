import type { Version } from '../../../model/version.ts';
import { versionName } from '../../../model/version.ts';
import { actionsOf } from '../../../model/failure.ts';
import type { Manager, Workload } from '../../../model/workload.ts';
import { imagesOf, isDrifted } from '../../versions/images.ts';
import { omissionsOf } from '../../versions/omissions.ts';
import { omissionText } from '../../values/omission.ts';
import type { Act } from '../../ports/deployment.ts';
import { changesOf, isUpdate } from '../../values/plan.ts';
import type { CheckInput, Verdict } from './check.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { fail, pass, warn } from './check.ts';
import { checkVolumes } from './requestChecks.ts';

function unknownImages(refused: readonly string[], unknown: readonly string[]): Verdict {
  const parts = [
    ...(refused.length > 0
      ? [`The registry refused the credentials of the pull secrets for these images: ${listed(refused)}.`]
      : []),
    ...(unknown.length > 0 ? [`The registry did not answer whether it has these images: ${listed(unknown)}.`] : []),
  ];
  const todo = [
    ...(refused.length > 0 ? ['Correct the pull secret of the workload or of its service account.'] : []),
    ...(unknown.length > 0 ? ['Check that Steward can reach the registry.'] : []),
  ];
  return warn(parts.join(' '), todo.join(' '));
}

/** Checks that every image that the plan installs is in the registry, with the checksum of the manifest. */
export async function checkImages({ deployment, plan, signal }: CheckInput): Promise<Verdict> {
  const keyed = changesOf(plan).flatMap(({ to }) =>
    to.map((image) => [`${image.image} ${image.checksum}`, image] as const),
  );
  const images = [...new Map(keyed).values()];
  const findings = await deployment.findImages(images, signal);
  const bad: string[] = [];
  const unknown: string[] = [];
  const refused: string[] = [];
  for (const [n, { image }] of images.entries()) {
    const finding = findings[n];
    if (finding?.kind === 'absent') bad.push(`${image} is missing (${finding.reason})`);
    else if (finding?.kind === 'differs')
      bad.push(`${image} has the checksum ${finding.found} in the registry and another one in the manifest`);
    else if (finding?.kind === 'unknown')
      (finding.isRefused === true ? refused : unknown).push(`${image} (${finding.reason})`);
  }
  if (bad.length > 0)
    return fail(
      `${bad.length} of ${images.length} images are missing in the registry or differ from the manifest: ${listed(bad)}.`,
      'Push the images of the manifest to the registry, or import a corrected manifest.',
      ...actionsOf(findings.map((one) => ('remedy' in one ? one.remedy : undefined))),
    );
  if (refused.length > 0 || unknown.length > 0) return unknownImages(refused, unknown);
  return pass(`${images.length} of ${images.length} images are in the registry with their checksums.`);
}

/** Checks that the plan changes at least one workload. */
export function checkChanges({ plan, inventory }: CheckInput): Verdict {
  const changes = changesOf(plan).filter(isUpdate);
  const others = changesOf(plan).length - changes.length;
  const changed = new Set(changes.map(({ workload }) => workload));
  const unchanged = inventory.workloads.filter(({ name }) => !changed.has(name)).length;
  if (changes.length === 0 && others > 0)
    return pass(`Workloads stay as they are. Changes of other objects: ${others}.`);
  return changes.length === 0
    ? warn('All workloads run these images already.', 'No image is changed; the job only records the version.')
    : pass(`Updates of workloads: ${changes.length}. Workloads that stay as they are: ${unchanged}.`);
}

/** Checks that all workloads are healthy before the upgrade. */
export function checkHealth({ inventory }: CheckInput): Verdict {
  const unhealthy = inventory.workloads.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${name} (${trouble})`],
  );
  return unhealthy.length === 0
    ? pass('All workloads are healthy.')
    : warn(`Unhealthy workloads: ${listed(unhealthy)}.`, 'If the upgrade does not fix them, repair them first.');
}

/** The workloads that the plan changes. */
function changedWorkloads({ plan, inventory }: Pick<CheckInput, 'plan' | 'inventory'>): readonly Workload[] {
  const changed = new Set(
    changesOf(plan)
      .filter(isUpdate)
      .map(({ workload }) => workload),
  );
  return inventory.workloads.filter(({ name }) => changed.has(name));
}

/** The managers that would revert the images which the plan changes, by workload. */
export function revertingManagers(
  input: Pick<CheckInput, 'plan' | 'inventory'>,
): ReadonlyMap<string, readonly Manager[]> {
  const managed = changedWorkloads(input).map(
    ({ name, managers }) => [name, managers.filter(({ reconciles }) => reconciles)] as const,
  );
  return new Map(managed.filter(([, managers]) => managers.length > 0));
}

/** Checks that no other manager would revert the images that the plan changes. One that wrote them once is a warning. */
export function checkOwners(input: CheckInput): Verdict {
  const managed = (isMeant: (manager: Manager) => boolean): readonly string[] =>
    changedWorkloads(input).flatMap(({ name, managers }) =>
      managers.filter(isMeant).map((one) => `${name} (${one.name}${one.restrained ? `, ${one.restrained}` : ''})`),
    );
  const reconciled = managed(({ reconciles }) => reconciles);
  if (reconciled.length > 0)
    return fail(
      `Another manager would revert the images of ${listed(reconciled)}.`,
      'Pause that manager, or change the images in its source. Steward does not compete with it. If you are sure that it does not revert them, send acknowledge with the names of these workloads.',
      ...actionsOf([...revertingManagers(input).values()].flat().map(({ remedy }) => remedy)),
    );
  const once = managed(({ reconciles, restrained }) => !reconciles && restrained === undefined);
  const restrained = managed((one) => one.restrained !== undefined);
  if (once.length + restrained.length === 0) return pass('No other manager owns the images.');
  const parts = [
    ...(once.length > 0
      ? [`The images of ${listed(once)} were set by another tool. Steward takes over these fields.`]
      : []),
    ...(restrained.length > 0
      ? [`Another manager of the images of ${listed(restrained)} counts as paused. Steward takes over these fields.`]
      : []),
  ];
  const todo = [
    ...(once.length > 0 ? ['Give that tool these images too: its next run with other files would replace them.'] : []),
    ...(restrained.length > 0
      ? ['Put these images into the source of the paused manager before it runs again: it would replace them.']
      : []),
  ];
  return warn(parts.join(' '), todo.join(' '));
}

/** Checks that the images of all workloads that the plan changes can be changed now. */
export function checkBlocked(input: CheckInput): Verdict {
  const blocked = changedWorkloads(input).flatMap(({ name, blocked: reason }) =>
    reason === undefined ? [] : [`${name} (${reason})`],
  );
  return blocked.length === 0
    ? pass('All workloads can be changed now.')
    : fail(`Some workloads cannot be changed now: ${listed(blocked)}.`, 'Remove the obstacle, then plan again.');
}

interface Refusal {
  readonly name: string;
  readonly reason: string;
}

/** Each reason once, with the names of what would be refused because of it. */
function refusalTexts(refusals: readonly Refusal[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { name, reason } of refusals) names.set(reason, [...(names.get(reason) ?? []), name]);
  return [...names].map(([reason, all]) => {
    const isNamed = all.length === 1 && reason.includes(all[0] ?? '');
    return `${reason.replace(/\.$/, '')}${isNamed ? '' : ` (${listed(all)})`}`;
  });
}

/** Checks by a dry run that the deployment would accept every change of the plan. */
export async function checkRehearsal(input: CheckInput): Promise<Verdict> {
  // What other checks refuse already is not refused once more.
  const acceptable = new Set(
    changedWorkloads(input)
      .filter(({ blocked, managers }) => blocked === undefined && !managers.some(({ reconciles }) => reconciles))
      .map(({ name }) => name),
  );
  const acts = changesOf(input.plan)
    .filter(({ workload, object }) => acceptable.has(workload) && object === undefined)
    .map(({ workload, to }): Act => ({
      kind: 'images',
      workload,
      images: to,
      isAcknowledged: input.acknowledged?.includes(workload),
    }));
  const volumes = input.plan.steps.flatMap((step): Act[] =>
    step.kind === 'volumes' && checkVolumes(input).verdict !== 'fail'
      ? [{ kind: 'volumes', volumes: step.volumes }]
      : [],
  );
  const all = [...acts, ...volumes];
  const answers = await input.deployment.rehearse(all, input.signal);
  const refusals = all.flatMap((act, n) => {
    const failure = answers[n];
    return failure === undefined ? [] : [{ name: act.kind === 'images' ? act.workload : act.kind, ...failure }];
  });
  const advice = [...new Set(refusals.map((one) => one.advice))];
  return refusals.length === 0
    ? pass(`The deployment would accept ${all.length} of ${all.length} changes.`)
    : fail(
        `The deployment would refuse ${refusals.length} of ${all.length} changes: ${refusalTexts(refusals).join('; ')}.`,
        advice.join(' '),
        ...actionsOf(refusals),
      );
}

/** The workloads that run other images than those of the installed versions, and will not run those of the target either. */
function leftDrifted(drifted: readonly Workload[], { deployment, plan, installed, versions }: CheckInput): string[] {
  const changed = new Map(changesOf(plan).map(({ workload, to }) => [workload, to]));
  const target = imagesOf(deployment.referenceFor, [...installed, ...versions]);
  const isLeft = (one: Workload): boolean =>
    // A rollback restores what ran before, whatever that was.
    versions.length === 0 ? !changed.has(one.name) : isDrifted(changed.get(one.name) ?? one.images, target(one));
  return drifted.filter(isLeft).map(({ name }) => name);
}

/** What the installed versions leave out of a deployment that runs their images otherwise. */
function completeness({ inventory: { workloads }, installed }: CheckInput, last: Version): Verdict {
  const left = omissionsOf(installed, workloads).map(omissionText);
  return left.length === 0
    ? pass(`The deployment runs ${versionName(last)}.`)
    : warn(
        `The deployment runs ${versionName(last)}, but not completely: ${listed(left, '; ')}.`,
        `Install what is missing with the images of ${versionName(last)}, or remove what does not belong to it any more.`,
      );
}

/** Checks that the deployment runs the images of the installed versions, or will run those of the target. */
export function checkDrift(input: CheckInput): Verdict {
  const { deployment, inventory, installed } = input;
  const last = installed.at(-1);
  if (last === undefined) return warn('The installed version is unknown.', 'Record it with adopt.');
  // A container that a later version does not name still runs the image of an earlier one.
  const imagesFor = imagesOf(deployment.referenceFor, installed);
  const drifted = inventory.workloads.filter((one) => isDrifted(one.images, imagesFor(one)));
  if (drifted.length === 0) return completeness(input, last);
  const left = leftDrifted(drifted, input);
  if (left.length > 0)
    return fail(
      `These workloads run other images than those of ${versionName(last)}, and this job would not replace them: ${listed(left)}.`,
      `Find out who changed them. Then set the images of ${versionName(last)} again with the tool that changed them, or record the version that runs with adopt (force=true if no version runs completely) and upgrade from it.`,
    );
  return warn(
    `These workloads run other images than those of ${versionName(last)}: ${listed(drifted.map(({ name }) => name))}.`,
    'An unfinished job or another tool has changed them. This job replaces these images.',
  );
}
