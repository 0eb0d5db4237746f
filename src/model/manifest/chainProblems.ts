// What makes versions unfit to be installed one over another, although each of them is valid: `manifest make` and `verify` and
// the server reject it.
import { likelyName } from '../../foundation/text/nearestName.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { Version } from '../version.ts';
import { versionName } from '../version.ts';
import { compareVersions } from '../versionNumber.ts';
import type { Container } from '../version/container.ts';
import { containerFinder, normalizedAddress, repositoryPath } from '../version/containerAddress.ts';
import { REQUIRES_RULE, requiredFeatures, unknownFeatures } from './features.ts';

const MAX_NAMES = 8;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function isSameVersion(one: Version, other: Version): boolean {
  return compareVersions(one.version, other.version) === 0;
}

/** The workload and the container of an address; the workload of a bare name is empty. */
function partsOf(address: string): { readonly workload: string; readonly container: string } {
  const end = address.lastIndexOf('/');
  return { workload: address.slice(0, Math.max(0, end)), container: address.slice(end + 1) };
}

/** The containers of an earlier patch that a later one does not contain. An address is also contained in a shorter one. */
export function lackingContainers(later: Version, earlier: Version): readonly string[] {
  const find = containerFinder(later.containers);
  return earlier.containers.flatMap(({ name }) => {
    const { workload, container } = partsOf(normalizedAddress(name));
    return find({ name: workload }, container) === undefined ? [name] : [];
  });
}

/** Whether a deployment can get a patch without an earlier one, or one of the same build, having been installed. */
function canSkip(patch: Version, earlier: Version): boolean {
  const { previousBuild } = patch;
  return (
    patch.id !== earlier.id &&
    patch.update === 'patch' &&
    earlier.update === 'patch' &&
    isSameVersion(patch, earlier) &&
    Number(earlier.build) <= Number(patch.build) &&
    (previousBuild === '' || Number(previousBuild) < Number(earlier.build))
  );
}

function cumulativeProblem(patch: Version, earlier: Version): readonly string[] {
  const lacking = canSkip(patch, earlier) ? lackingContainers(patch, earlier) : [];
  if (lacking.length === 0) return [];
  const added = lackingContainers(earlier, patch);
  const names = lacking.map((name) => {
    const instead = likelyName(name, added);
    return instead === undefined ? name : `${name} (it has ${instead} instead)`;
  });
  return [
    `${patch.id} can be installed without ${earlier.id} and lacks containers of it: ${listed(names)}. A patch must contain every container of the earlier patches that it can skip`,
  ];
}

/** A patch without objects keeps the bundle that is installed, which then depends on whether the earlier patch was installed. */
function bundleProblem(patch: Version, earlier: Version): readonly string[] {
  if (patch.objects !== undefined || earlier.objects === undefined || !canSkip(patch, earlier)) return [];
  return [
    `${patch.id} can be installed without ${earlier.id} and has no objects, while ${earlier.id} has. Make it with --objects, so that both ways lead to the same objects`,
  ];
}

/** Two versions with one number must have the same objects. */
function sameObjectsProblem(one: Version, other: Version): readonly string[] {
  const [bundle, another] = [one.objects?.checksum, other.objects?.checksum];
  if (one.id >= other.id || versionName(one) !== versionName(other)) return [];
  return bundle === undefined || another === undefined || bundle === another
    ? []
    : [`${one.id} and ${other.id} are both ${versionName(one)} and have different objects`];
}

/** Two versions with one number must have the same images. */
function sameNumberProblem(one: Version, other: Version): readonly string[] {
  if (one.id >= other.id || versionName(one) !== versionName(other)) return [];
  const checksums = new Map(one.containers.map(({ name, checksum }) => [normalizedAddress(name), checksum]));
  const different = other.containers.filter(({ name, checksum }) => {
    return (checksums.get(normalizedAddress(name)) ?? checksum) !== checksum;
  });
  const names = different.map(({ name }) => name);
  return names.length === 0
    ? []
    : [`${one.id} and ${other.id} are both ${versionName(one)} and have different images of ${listed(names)}`];
}

/** The way out if it is not the new version that is wrong. */
function correction(pair: readonly Version[], ids: ReadonlySet<string>): string {
  return pair
    .filter(({ id }) => !ids.has(id))
    .map(({ id }) => `. If ${id}, which is imported already, is the wrong one, import it again with the same id`)
    .join('');
}

interface AddressedEntry {
  readonly version: Version;
  readonly workload: string;
  readonly entry: Container;
}

/** The entries that name their workload, by the name of their container. */
function addressedEntries(versions: readonly Version[]): ReadonlyMap<string, readonly AddressedEntry[]> {
  const found = new Map<string, AddressedEntry[]>();
  for (const version of versions)
    for (const entry of version.containers) {
      const { workload, container } = partsOf(normalizedAddress(entry.name));
      if (workload === '') continue;
      const entries = found.get(container) ?? [];
      found.set(container, entries);
      entries.push({ version, workload, entry });
    }
  return found;
}

/** Bare names whose containers an earlier version, or one with the same number, shows to be different images. */
function ambiguityProblems(version: Version, addressed: ReadonlyMap<string, readonly AddressedEntry[]>) {
  const find = containerFinder(version.containers);
  return version.containers.flatMap((bare) => {
    const others = (addressed.get(bare.name) ?? []).filter(
      (one) =>
        compareVersions(one.version.version, version.version) <= 0 && find({ name: one.workload }, bare.name) === bare,
    );
    const repositories = new Set([bare, ...others.map(({ entry }) => entry)].map(({ image }) => repositoryPath(image)));
    if (repositories.size < 2) return [];
    const shown = [...new Set(others.map(({ entry }) => `${entry.name} (${repositoryPath(entry.image)})`))];
    const ids = [...new Set(others.map((one) => one.version.id))];
    return [
      `${version.id}: the name ${bare.name} (${repositoryPath(bare.image)}) is ambiguous, because ${listed(ids)} has ${listed(shown)}. Name the container as workload/${bare.name}`,
    ];
  });
}

/** What is wrong with two versions beside each other. */
function pairProblems(one: Version, other: Version): readonly string[] {
  return [
    ...cumulativeProblem(one, other),
    ...bundleProblem(one, other),
    ...sameNumberProblem(one, other),
    ...sameObjectsProblem(one, other),
  ];
}

function featureProblems(version: Version): readonly string[] {
  const { requires }: JsonObject = { ...version };
  if (requiredFeatures(requires) === undefined) return [`${version.id}: requires ${REQUIRES_RULE}`];
  const unknown = unknownFeatures(version);
  return unknown.length === 0
    ? []
    : [`${version.id} requires what this version of Steward does not know: ${listed(unknown)}. Update Steward first`];
}

/**
 * Names what is wrong with `versions` together, and with the versions that are known beside them. Known versions among
 * themselves are not judged again.
 */
export function chainProblems(versions: readonly Version[], known: readonly Version[] = []): readonly string[] {
  const ids = new Set(versions.map(({ id }) => id));
  const all = [...versions, ...known.filter(({ id }) => !ids.has(id))];
  const addressed = addressedEntries(all);
  return [
    ...versions.flatMap(featureProblems),
    ...all.flatMap((one) =>
      all.flatMap((other) =>
        ids.has(one.id) || ids.has(other.id)
          ? pairProblems(one, other).map((problem) => `${problem}${correction([one, other], ids)}`)
          : [],
      ),
    ),
    ...versions.flatMap((one) => ambiguityProblems(one, addressed)),
  ];
}
