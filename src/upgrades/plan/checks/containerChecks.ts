import { counted } from '../../../foundation/text/counted.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { likelyName, nearestName } from '../../../foundation/text/nearestName.ts';
import { workloadsAfter } from '../rolloutSteps.ts';
import { lackingContainers } from '../../../model/manifest/chainProblems.ts';
import type { Container } from '../../../model/version/container.ts';
import type { DeployedContainer } from '../../../model/version/containerAddress.ts';
import { addressedContainers, repositoryPath } from '../../../model/version/containerAddress.ts';
import type { Version } from '../../../model/version.ts';
import { compareVersions } from '../../../model/versionNumber.ts';
import type { Workload } from '../../../model/workload.ts';
import { absentContainers, deployedName, leftOutContainers } from '../../versions/omissions.ts';
import type { CheckInput, Verdict } from './check.ts';
import { fail, pass, warn } from './check.ts';

/** One sentence about the containers, and what to do about it. */
interface Finding {
  readonly text: string;
  readonly todo: string;
}

const together = (findings: readonly Finding[]) =>
  [findings.map(({ text }) => text).join(' '), [...new Set(findings.map(({ todo }) => todo))].join(' ')] as const;

/** Describes a bare name that matches containers of different images; nothing if the entry is unambiguous. */
function ambiguityOf({ name }: Container, found: readonly DeployedContainer[]): readonly string[] {
  const repositories = new Set(found.map(({ image }) => repositoryPath(image.image)));
  if (name.includes('/') || repositories.size < 2) return [];
  return [`${name} is ${listed(found.map(({ workload, image }) => `${workload.name}/${name} (${image.image})`))}`];
}

function ambiguousNames({ inventory: { workloads }, versions }: CheckInput): readonly Finding[] {
  const matches = versions.flatMap(({ containers }) => [...addressedContainers(containers, workloads)]);
  const ambiguous = new Set(matches.flatMap(([entry, found]) => ambiguityOf(entry, found)));
  if (ambiguous.size === 0) return [];
  return [
    {
      text: `A name in the manifest matches containers of different images: ${[...ambiguous].join('; ')}.`,
      todo: 'Name each container as workload/container or kind/workload/container in the manifest, and import it again.',
    },
  ];
}

/** The address of a deployed container with as many parts as a given one has. */
function addressLike(name: string, one: DeployedContainer): string {
  const parts = deployedName(one).split('/');
  return parts.slice(-name.split('/').length).join('/');
}

/** Whether an address means a workload: it names it, perhaps with a typing error in the kind or with a kind where none has one. */
function isInWorkload(name: string, workload: Workload): boolean {
  const [place = '', kind] = name.toLowerCase().split('/').slice(0, -1).toReversed();
  const [bare = '', ownKind] = workload.name.toLowerCase().split('/').toReversed();
  if (place === '' || place !== bare) return false;
  const isKind = kind === undefined || ownKind === undefined || kind === ownKind;
  return isKind || likelyName(kind, [ownKind]) !== undefined;
}

/** More names than this are not typing errors: it is another deployment. */
const MOST_COMPARED = 20;

/**
 * The containers that no workload has although their names look as if one should: the workload exists, or the name is probably
 * a typing error of a container that the version does not name otherwise.
 */
function wrongNames(absent: readonly string[], { inventory: { workloads }, versions }: CheckInput) {
  const deployed = workloads.flatMap((workload) => workload.images.map((image) => ({ workload, image })));
  const named = new Set(
    versions.flatMap(({ containers }) =>
      [...addressedContainers(containers, workloads).values()].flat().map(deployedName),
    ),
  );
  const unnamed = deployed.filter((one) => !named.has(deployedName(one)));
  const wrong = new Map<string, string>();
  for (const name of absent) {
    const inside = deployed.filter(({ workload }) => isInWorkload(name, workload)).map((one) => addressLike(name, one));
    const isCompared = absent.length <= MOST_COMPARED;
    const nearest =
      inside.length > 0
        ? nearestName(name, inside)
        : isCompared && likelyName(name, [...new Set(unnamed.map((one) => addressLike(name, one)))]);
    if (typeof nearest === 'string') wrong.set(name, nearest);
  }
  return wrong;
}

function wrongNameFinding(wrong: ReadonlyMap<string, string>): readonly Finding[] {
  if (wrong.size === 0) return [];
  return [
    {
      text: `The manifest names containers that do not exist: ${listed([...wrong].map(([name, nearest]) => `${name} (the nearest is ${nearest})`))}.`,
      todo: 'Correct the names in the manifest and import it again. If they are right, install the workloads that have these containers first.',
    },
  ];
}

/** Patches from before the rule that patches are cumulative: without an earlier one, their number would mean other images. */
function skippedPatches({ versions, installed, known }: CheckInput): readonly Finding[] {
  return versions.flatMap((patch, n) => {
    const base: Version | undefined = versions[n - 1] ?? installed.at(-1);
    if (patch.update !== 'patch' || base === undefined) return [];
    return known.flatMap((one) => {
      const isBetween =
        one.update === 'patch' &&
        compareVersions(one.version, patch.version) === 0 &&
        Number(one.build) > Number(base.build) &&
        Number(one.build) < Number(patch.build);
      const lacking = isBetween ? lackingContainers(patch, one) : [];
      if (lacking.length === 0) return [];
      const text = `${patch.id} skips ${one.id} and lacks containers of it: ${listed(lacking)}.`;
      const todo = `Install ${one.id} first (a release with updateToLatestPatch=false), or import a manifest in which ${patch.id} contains them.`;
      return [{ text, todo }];
    });
  });
}

/** What the versions leave out, for people who may not want that. */
function omissions(
  absent: readonly string[],
  { inventory: { workloads }, versions, installed, isRelease }: CheckInput,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (absent.length > 0)
    findings.push({
      text: `No workload has these containers of the manifest, so they are left out: ${listed(absent)}.`,
      todo: 'If they are needed, install their workloads first.',
    });
  // A patch names only what it changes.
  const leftOut = isRelease ? leftOutContainers([...installed, ...versions], workloads) : [];
  if (leftOut.length > 0)
    findings.push({
      text: `The manifest does not name these containers of the installed version, so they keep their images: ${listed(leftOut.map(deployedName))}.`,
      todo: 'If they belong to the version, add their containers to the manifest.',
    });
  const named = new Set([
    ...leftOut.map(({ workload }) => workload.name),
    ...versions.flatMap(({ containers }) =>
      [...addressedContainers(containers, workloads).values()].flat().map(({ workload }) => workload.name),
    ),
  ]);
  const unnamed = workloads.map(({ name }) => name).filter((name) => !named.has(name));
  if (isRelease && unnamed.length > 0)
    findings.push({
      text: `The manifest names no container of these workloads, so they keep their images: ${listed(unnamed)}.`,
      todo: 'If they belong to the version, add their containers to the manifest.',
    });
  return findings;
}

/**
 * Checks that every container of the manifest exists in the deployment, that no bare name means different images, and that nothing
 * of the installed version is left out.
 */
export function checkContainers(given: CheckInput): Verdict {
  const input = { ...given, inventory: { ...given.inventory, workloads: workloadsAfter(given) } };
  const { workloads } = input.inventory;
  if (workloads.length === 0)
    return fail('The deployment has no workloads.', 'Check that Steward is configured for the right deployment.');
  const absent = absentContainers(input.versions, workloads);
  const wrong = wrongNames(absent, input);
  const failures = [...ambiguousNames(input), ...wrongNameFinding(wrong), ...skippedPatches(input)];
  if (failures.length > 0) return fail(...together(failures));
  const warnings = omissions(absent, input);
  return warnings.length > 0
    ? warn(...together(warnings))
    : pass(`Every container of the manifest exists in the deployment (${counted(workloads.length, 'workload')}).`);
}
