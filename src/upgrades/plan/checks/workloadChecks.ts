import type { Container } from '../../../model/manifest/container.ts';
import type { DeployedContainer } from '../../../model/manifest/containerAddress.ts';
import { addressedContainers, repositoryPath } from '../../../model/manifest/containerAddress.ts';
import { versionName } from '../../../model/version.ts';
import type { Workload } from '../../../model/workload.ts';
import { imagesOf, isDrifted } from '../images.ts';
import type { Act } from '../../ports/deployment.ts';
import { changesOf } from '../plan.ts';
import type { CheckInput, Verdict } from './check.ts';
import { listed } from '../../../foundation/listed.ts';
import { fail, pass, warn } from './check.ts';
import { checkVolumes } from './requestChecks.ts';

/** Checks that every image that the plan installs is in the registry, with the checksum of the manifest. */
export async function checkImages({ deployment, plan, signal }: CheckInput): Promise<Verdict> {
  const keyed = changesOf(plan).flatMap(({ to }) =>
    to.map((image) => [`${image.image} ${image.checksum}`, image] as const),
  );
  const images = [...new Map(keyed).values()];
  const findings = await deployment.findImages(images, signal);
  const bad: string[] = [];
  const unknown: string[] = [];
  for (const [n, { image }] of images.entries()) {
    const finding = findings[n];
    if (finding?.kind === 'absent') bad.push(`${image} is missing (${finding.reason})`);
    else if (finding?.kind === 'differs')
      bad.push(`${image} has the checksum ${finding.found} in the registry and another one in the manifest`);
    else if (finding?.kind === 'unknown') unknown.push(`${image} (${finding.reason})`);
  }
  if (bad.length > 0)
    return fail(
      `${bad.length} of ${images.length} images are missing in the registry or differ from the manifest: ${listed(bad)}.`,
      'Push the images of the manifest to the registry, or import a corrected manifest.',
    );
  if (unknown.length > 0)
    return warn(
      `The registry did not answer whether it has these images: ${listed(unknown)}.`,
      'Check that Steward can reach the registry.',
    );
  return pass(`${images.length} of ${images.length} images are in the registry with their checksums.`);
}

/** Describes a bare name that matches containers of different images; nothing if the entry is unambiguous. */
function ambiguityOf({ name }: Container, found: readonly DeployedContainer[]): readonly string[] {
  const repositories = new Set(found.map(({ image }) => repositoryPath(image.image)));
  if (name.includes('/') || repositories.size < 2) return [];
  return [`${name} is ${listed(found.map(({ workload, image }) => `${workload.name}/${name} (${image.image})`))}`];
}

/** Checks that every container of the manifest exists in the deployment, and that no bare name means different images. */
export function checkContainers({ inventory: { workloads }, versions, isRelease }: CheckInput): Verdict {
  if (workloads.length === 0)
    return fail('The deployment has no workloads.', 'Check that Steward is configured for the right deployment.');
  const matches = versions.flatMap(({ containers }) => [...addressedContainers(containers, workloads)]);
  const ambiguous = new Set(matches.flatMap(([entry, found]) => ambiguityOf(entry, found)));
  if (ambiguous.size > 0)
    return fail(
      `A name in the manifest matches containers of different images: ${[...ambiguous].join('; ')}.`,
      'Name each container as workload/container or kind/workload/container in the manifest, and import it again.',
    );
  const missing = new Set(matches.filter(([, found]) => found.length === 0).map(([{ name }]) => name));
  if (missing.size > 0)
    return warn(
      `No workload has these containers of the manifest, so they are left out: ${listed([...missing])}.`,
      'If they are needed, install their workloads first.',
    );
  const named = new Set(matches.flatMap(([, found]) => found.map(({ workload }) => workload.name)));
  const unnamed = workloads.map(({ name }) => name).filter((name) => !named.has(name));
  // A patch names only what it changes.
  return isRelease && unnamed.length > 0
    ? warn(
        `The manifest names no container of these workloads, so they keep their images: ${listed(unnamed)}.`,
        'If they belong to the version, add their containers to the manifest.',
      )
    : pass(`Every container of the manifest exists in the deployment (${workloads.length} workloads).`);
}

/** Checks that the plan changes at least one workload. */
export function checkChanges({ plan, inventory }: CheckInput): Verdict {
  const changes = changesOf(plan);
  const unchanged = inventory.workloads.length - new Set(changes.map(({ workload }) => workload)).size;
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
function changedWorkloads({ plan, inventory }: CheckInput): readonly Workload[] {
  const changed = new Set(changesOf(plan).map(({ workload }) => workload));
  return inventory.workloads.filter(({ name }) => changed.has(name));
}

/** Checks that no other manager would revert the images that the plan changes. One that wrote them once is a warning. */
export function checkOwners(input: CheckInput): Verdict {
  const managed = (isReconciling: boolean): readonly string[] =>
    changedWorkloads(input).flatMap(({ name, managers }) =>
      managers.filter(({ reconciles }) => reconciles === isReconciling).map((one) => `${name} (${one.name})`),
    );
  const [reconciled, once] = [managed(true), managed(false)];
  if (reconciled.length > 0)
    return fail(
      `Another manager would revert the images of ${listed(reconciled)}.`,
      'Pause that manager, or change the images in its source. Steward does not compete with it.',
    );
  return once.length === 0
    ? pass('No other manager owns the images.')
    : warn(
        `The images of ${listed(once)} were set by another tool. Steward takes over these fields.`,
        'Give that tool the new images too: its next run with old files would restore the old images.',
      );
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

/** Checks by a dry run that the deployment would accept every change of the plan. */
export async function checkRehearsal(input: CheckInput): Promise<Verdict> {
  // What other checks refuse already is not refused once more.
  const acceptable = new Set(
    changedWorkloads(input)
      .filter(({ blocked, managers }) => blocked === undefined && !managers.some(({ reconciles }) => reconciles))
      .map(({ name }) => name),
  );
  const acts = changesOf(input.plan)
    .filter(({ workload }) => acceptable.has(workload))
    .map(({ workload, to }): Act => ({ kind: 'images', workload, images: to }));
  const volumes = input.plan.steps.flatMap((step): Act[] =>
    step.kind === 'volumes' && checkVolumes(input).verdict === 'pass'
      ? [{ kind: 'volumes', volumes: step.volumes }]
      : [],
  );
  const all = [...acts, ...volumes];
  const refusals = (await input.deployment.rehearse(all, input.signal)).filter((one) => one !== undefined);
  const advice = [...new Set(refusals.map((one) => one.advice))];
  return refusals.length === 0
    ? pass(`The deployment would accept ${all.length} of ${all.length} changes.`)
    : fail(
        `The deployment would refuse ${refusals.length} of ${all.length} changes: ${listed(refusals.map(({ reason }) => reason.replace(/\.$/, '')))}.`,
        advice.join(' '),
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

/** Checks that the deployment runs the images of the installed versions, or will run those of the target. */
export function checkDrift(input: CheckInput): Verdict {
  const { deployment, inventory, installed } = input;
  const last = installed.at(-1);
  if (last === undefined) return warn('The installed version is unknown.', 'Record it with adopt.');
  // A container that a later version does not name still runs the image of an earlier one.
  const imagesFor = imagesOf(deployment.referenceFor, installed);
  const drifted = inventory.workloads.filter((one) => isDrifted(one.images, imagesFor(one)));
  if (drifted.length === 0) return pass(`The deployment runs ${versionName(last)}.`);
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
