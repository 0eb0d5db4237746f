import type { Container } from '../../../model/manifest/container.ts';
import type { DeployedContainer } from '../../../model/manifest/containerAddress.ts';
import { addressedContainers, repositoryPath } from '../../../model/manifest/containerAddress.ts';
import { versionName } from '../../../model/version.ts';
import type { Workload } from '../../../model/workload.ts';
import { imagesOf, isSameImages } from '../images.ts';
import { changesOf } from '../plan.ts';
import type { CheckInput, Verdict } from './check.ts';
import { fail, listed, pass, warn } from './check.ts';

/** Checks that every image that the plan installs is in the registry, with the checksum of the manifest. */
export async function checkImages({ deployment, plan }: CheckInput): Promise<Verdict> {
  const keyed = changesOf(plan).flatMap(({ to }) =>
    to.map((image) => [`${image.image} ${image.checksum}`, image] as const),
  );
  const images = [...new Map(keyed).values()];
  const findings = await deployment.findImages(images);
  const bad: string[] = [];
  const unknown: string[] = [];
  for (const [n, { image }] of images.entries()) {
    const finding = findings[n];
    if (finding?.kind === 'absent') bad.push(`${image} is absent: ${finding.reason}`);
    else if (finding?.kind === 'differs')
      bad.push(`${image} has the checksum ${finding.found} in the registry, not that of the manifest`);
    else if (finding?.kind === 'unknown') unknown.push(`${image} (${finding.reason})`);
  }
  if (bad.length > 0)
    return fail(
      `${bad.length} of ${images.length} images are not in the registry as the manifest names them: ${listed(bad)}.`,
      'Push the right images to the registry, or import a manifest that names the right ones.',
    );
  if (unknown.length > 0)
    return warn(
      `The registry could not tell of ${listed(unknown)}.`,
      'See whether the registry can be reached from here.',
    );
  return pass(`All ${images.length} images are in the registry with their checksums.`);
}

/** Describes a bare name that matches containers of different images; nothing if the entry is unambiguous. */
function ambiguityOf({ name }: Container, found: readonly DeployedContainer[]): readonly string[] {
  const repositories = new Set(found.map(({ image }) => repositoryPath(image.image)));
  if (name.includes('/') || repositories.size < 2) return [];
  return [`${name} is ${listed(found.map(({ workload, image }) => `${workload.name}/${name} (${image.image})`))}`];
}

/** Checks that every container of the manifest exists in the deployment, and that no bare name means different images. */
export function checkContainers({ inventory: { workloads }, versions }: CheckInput): Verdict {
  if (workloads.length === 0)
    return fail('The deployment has no workloads.', 'See whether Steward looks at the right namespace.');
  const matches = versions.flatMap(({ containers }) => [...addressedContainers(containers, workloads)]);
  const ambiguous = new Set(matches.flatMap(([entry, found]) => ambiguityOf(entry, found)));
  if (ambiguous.size > 0)
    return fail(
      `The manifest names containers of different images by one name: ${[...ambiguous].join('; ')}.`,
      'Name each of them as workload/container in the manifest, or as kind/workload/container, and import it again.',
    );
  const missing = new Set(matches.filter(([, found]) => found.length === 0).map(([{ name }]) => name));
  return missing.size === 0
    ? pass(`Each container of the manifest is found among ${workloads.length} workloads.`)
    : warn(
        `No workload has the containers ${listed([...missing])}.`,
        'They are left out. If they should be there, install them first.',
      );
}

/** Checks that the plan changes at least one workload. */
export function checkChanges({ plan, inventory }: CheckInput): Verdict {
  const changes = changesOf(plan);
  const unchanged = inventory.workloads.length - new Set(changes.map(({ workload }) => workload)).size;
  return changes.length === 0
    ? warn('Every workload runs these images already.', 'Nothing is rolled out; the job records the version.')
    : pass(`${changes.length} workload updates; ${unchanged} workloads stay as they are.`);
}

/** Checks that all workloads are healthy before the upgrade. */
export function checkHealth({ inventory }: CheckInput): Verdict {
  const unhealthy = inventory.workloads.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`${name} (${trouble})`],
  );
  return unhealthy.length === 0
    ? pass('All workloads are well.')
    : warn(
        `Not well now: ${listed(unhealthy)}.`,
        'See whether that is what the upgrade is to mend; if not, mend it first.',
      );
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

/** Checks that the deployment runs the images of the installed versions. */
export function checkDrift({ inventory, installed }: CheckInput): Verdict {
  const last = installed.at(-1);
  if (last === undefined) return warn('It is not known which version is installed.', 'Tell it with adopt.');
  // A container that a later version does not name still runs the image of an earlier one.
  const imagesFor = imagesOf(...installed);
  const drifted = inventory.workloads
    .filter((one) => !isSameImages(one.images, imagesFor(one)))
    .map(({ name }) => name);
  return drifted.length === 0
    ? pass(`What runs is ${versionName(last)}.`)
    : warn(
        `Other images than those of ${versionName(last)} run in ${listed(drifted)}.`,
        'Find out who changed them; they are replaced.',
      );
}
