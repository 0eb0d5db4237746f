// Records the version of a deployment that Steward did not install, after a comparison of images and objects with it.
import type { Clock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import { modeEvent } from '../../model/mode.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Inventory } from '../../model/workload.ts';
import { ownershipProblem, unfinishedParts } from '../failure/ownership.ts';
import { withoutActions } from '../failure/shownFailure.ts';
import { draftObjects } from '../plan/objects/draftObjects.ts';
import type { ObjectTools } from '../plan/objects/objectTools.ts';
import type { Facts, LockedFacts, UpgradeChange, UpgradeStore } from '../ports/upgradeStore.ts';
import type { AcceptedManifest } from '../versions/acceptManifest.ts';
import { refuseMisfit } from '../versions/acceptManifest.ts';
import type { ObjectDifference } from '../versions/adoption.ts';
import { adoptionRefusal, findDifferences, modeAfterAdoption, wholeVersion } from '../versions/adoption.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { withinLimit } from '../versions/knownVersions.ts';
import { refuseSecondJob } from './acceptJob.ts';
import type { Planner } from './planner.ts';
import { findVersion } from './upgradeRequest.ts';

export interface AdoptDependencies {
  readonly store: UpgradeStore;
  readonly objects: ObjectTools;
  readonly planner: Planner;
  readonly clock: Clock;
}

export interface AdoptOptions {
  readonly isDryRun: boolean;
  readonly force: boolean;
}

interface AdoptRequest extends AdoptOptions {
  readonly id: string;
  readonly manifest: AcceptedManifest;
}

interface Adopted {
  readonly version: Version;
  readonly objects: string | undefined;
  readonly differences: number;
  readonly force: boolean;
  readonly inventory: Inventory;
  readonly manifest: AcceptedManifest;
}

/**
 * What only Steward writes: objects that another tool has applied lack it. Images are compared by their checksums, so that a tag is
 * as good as a digest.
 */
const OF_STEWARD =
  /^metadata\.labels\[steward\/installation\]$|annotations\[steward\/configuration\]$|ontainers\[[^\]]+\]\.image$/;

/** Whether an object is as the version has it, except for what the first upgrade writes. */
function isAsApplied(fields: readonly string[]): boolean {
  return fields.length > 0 && fields.every((field) => OF_STEWARD.test(field));
}

/** The objects of a version that the deployment has otherwise, or not at all. */
async function objectDifferences(
  { objects: tools, planner }: AdoptDependencies,
  whole: readonly Version[],
): Promise<{ readonly checksum: string | undefined; readonly differences: readonly ObjectDifference[] }> {
  const bundle = whole.findLast(({ objects }) => objects !== undefined)?.objects;
  if (bundle === undefined) return { checksum: undefined, differences: [] };
  const last = whole.at(-1);
  const target = { update: 'release', version: last, replacedBy: undefined, previousImages: [] } as const;
  const compared = await draftObjects(
    { ...tools, deployment: planner.deployment() },
    { objects: { bundle, former: [] }, targets: [target], isPastReturn: false },
    whole.slice(0, -1),
  ).catch((error: unknown) => {
    throw planner.unanswered(error);
  });
  if (compared.problem !== undefined)
    throw new StewardError('conflict', `${compared.problem.reason} Nothing was changed.`, {
      details: [compared.problem.advice],
    });
  const differences = compared.objects
    .filter(({ firstStage }) => firstStage >= 0)
    .map(({ object, finding }) => ({
      object,
      isAbsent: finding.kind === 'create' || finding.kind === 'unknown',
      fields: finding.fields.map(({ field }) => field),
      reasons: finding.problems.map(({ reason }) => reason),
    }))
    .filter(({ fields }) => !isAsApplied(fields));
  return { checksum: bundle.checksum, differences };
}

/** Decides the transaction that records a version as the current one, in place of all that were installed before. */
function recordVersion(facts: LockedFacts, by: Actor, adopted: Adopted, now: number): Decision<UpgradeChange> {
  const { version, objects, differences, force, inventory, manifest } = adopted;
  refuseSecondJob(facts);
  const failed = failedJob(facts);
  if (failed !== undefined && !force) throw new StewardError('conflict', ownershipProblem(failed));
  // Later than the latest job, even if the clocks of the replicas differ.
  const at = Math.max(now, facts.latest?.ended ?? 0);
  const change = {
    ...withoutActions(
      facts.latest,
      `Nothing: ${versionName(version)} was recorded with adopt, so this job is not continued.`,
    ),
    addVersions: withinLimit(facts.known, manifest),
    install: [{ version, at, how: 'adopt' as const, by: by.name, job: undefined, before: [], objects }],
    remove: facts.installed.map(({ seq }) => seq),
    mode: modeAfterAdoption(facts.mode, inventory),
  };
  const note = { action: 'version.adopt', target: versionName(version), after: { id: version.id, differences } };
  return { change, announce: modeEvent(facts.mode, change.mode), audit: [note] };
}

/** Compares the deployment with a version, and unless `isDryRun` records the version as the current one. */
export async function adoptVersion(
  dependencies: AdoptDependencies,
  facts: Facts,
  by: Actor,
  { id, manifest, isDryRun, force }: AdoptRequest,
) {
  const { planner, store, clock } = dependencies;
  const inventory = await planner.inventory();
  refuseMisfit(manifest, facts);
  const version = findVersion(facts, id, manifest.versions);
  const whole = wholeVersion(version, [...manifest.versions, ...facts.known]);
  const differences = await findDifferences(whole, inventory.workloads, planner.deployment());
  const ofObjects = await objectDifferences(dependencies, whole);
  const failed = await planner.failedState(facts);
  const unfinished = failed === undefined ? [] : unfinishedParts(failed, inventory);
  const objects = ofObjects.differences;
  const count = differences.length + objects.length;
  if (!isDryRun) {
    if (count + unfinished.length > 0 && !force) throw adoptionRefusal(version, { differences, objects, unfinished });
    const adopted = { version, objects: ofObjects.checksum, differences: count, force, inventory, manifest };
    await store.change(by, (locked) => recordVersion(locked, by, adopted, clock.now()));
  }
  return { version, differences, objects, unfinished };
}
