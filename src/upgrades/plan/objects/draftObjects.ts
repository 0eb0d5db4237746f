// Finds out what a job would do with objects: compares those of the bundle with the deployment, without a change.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { configurationOf } from '../../../model/objects/configuration.ts';
import { isClaim, isKept, restarts } from '../../../model/objects/objectMarks.ts';
import type { Version } from '../../../model/version.ts';
import type { Deployment } from '../../ports/deployment.ts';
import type { ObjectFinding, WantedObject } from '../../ports/objects.ts';
import type { JobSpec, TaskObjects } from '../../values/task.ts';
import type { ObjectTools } from './objectTools.ts';
import type { BundleProblem } from './objectSource.ts';
import { findSource } from './objectSource.ts';
import type { Stage, Unwanted, Wanted } from './wantedObjects.ts';

/** One object as the plan shows it. */
export interface DraftedObject extends Omit<Wanted, 'stages' | 'installed'> {
  readonly finding: ObjectFinding;
  /** The content in each rollout, by its fingerprint. Empty if the object should not exist. */
  readonly stages: readonly (DraftedStage | undefined)[];
  /** The first stage that is applied; -1 if none is. */
  readonly firstStage: number;
  /** The fingerprint of what undoes the change; undefined if it does not exist now. */
  readonly former: string | undefined;
  readonly configuration: string | undefined;
  /** Why it stays although it should not exist. */
  readonly kept: string | undefined;
}

export interface DraftedStage extends Pick<Stage, 'images'> {
  readonly content: string;
}

export interface DraftedObjects {
  readonly objects: readonly DraftedObject[];
  /** What the job has to keep, by fingerprint. */
  readonly contents: ReadonlyMap<string, JsonObject>;
  /** Undefined if the objects of the version are known. */
  readonly problem: BundleProblem | undefined;
  /** Whether a version of the job, or one before it, has objects. */
  readonly hasObjects: boolean;
  /** Whether the contents are what was there before an earlier job. */
  readonly isUndo?: boolean;
}

export const NO_OBJECTS: DraftedObjects = { objects: [], contents: new Map(), problem: undefined, hasObjects: false };

export interface ObjectDependencies extends ObjectTools {
  readonly deployment: Pick<Deployment, 'compareObjects' | 'referenceFor'>;
}

const CONFIGURATION_KINDS = /^(?:ConfigMap|Secret)\//;

/** Whether an apply would change the object, or make it. */
function changes({ kind }: ObjectFinding): boolean {
  return kind === 'create' || kind === 'change' || kind === 'unknown';
}

function firstOf({ stages }: Pick<Wanted, 'stages'>): number {
  return stages.findIndex((stage) => stage !== undefined);
}

/** Identifies the configuration that a workload reads, if it has to be restarted because that changes. */
function configurationFor(
  content: JsonObject,
  configuration: ReadonlyMap<string, string>,
  changed: ReadonlySet<string>,
): string | undefined {
  if (!restarts(content)) return undefined;
  const read = configurationOf(content).filter((name) => configuration.has(name));
  if (!read.some((name) => changed.has(name))) return undefined;
  return read.map((name) => `${name} ${configuration.get(name) ?? ''}`).join(', ');
}

type Compare = (wanted: readonly WantedObject[]) => Promise<readonly ObjectFinding[]>;

interface Compared extends Wanted {
  readonly finding: ObjectFinding;
  readonly firstStage: number;
  readonly configuration?: string | undefined;
}

/** Compares workloads with the first content that differs from what is there. */
async function compareWorkloads(
  workloads: readonly (Wanted & { readonly configuration: string | undefined })[],
  compare: Compare,
): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  let open = workloads.map((one) => ({ ...one, stage: firstOf(one) })).filter(({ stage }) => stage >= 0);
  while (open.length > 0) {
    const findings = await compare(
      open.map(({ object, stages, stage, configuration, installed }) => ({
        object,
        content: stages[stage]?.content,
        installed,
        configuration,
      })),
    );
    const later: typeof open = [];
    for (const [n, one] of open.entries()) {
      const finding = findings[n];
      if (finding === undefined) continue;
      const next = one.stages.findIndex((stage, at) => at > one.stage && stage !== undefined);
      if (finding.kind === 'unchanged' && next >= 0) later.push({ ...one, stage: next });
      else compared.push({ ...one, finding, firstStage: changes(finding) ? one.stage : -1 });
    }
    open = later;
  }
  return compared;
}

function keptReason(
  { object, content }: Unwanted,
  { kind, kept, former }: ObjectFinding,
  keepsAll: boolean,
): string | undefined {
  if (kind === 'absent') return undefined;
  if (keepsAll)
    return 'the store of Steward was restored, so it is not removed before the version is recorded with adopt';
  if (isClaim(object)) return 'claims hold data and are never removed';
  if ([content, former].some((one) => one !== undefined && isKept(one))) return 'it has steward/keep=true';
  return kind === 'keep' ? (kept ?? 'the deployment does not remove it') : undefined;
}

/** The workloads with the configuration that they must be restarted for. */
function withConfiguration(
  workloads: readonly Wanted[],
  others: readonly Compared[],
  isOfFailedJob: boolean,
  fingerprint: (content: unknown) => string,
): readonly (Wanted & { readonly configuration: string | undefined })[] {
  const read = others.filter(({ object }) => CONFIGURATION_KINDS.test(object));
  const configuration = new Map(read.map(({ object, stages }) => [object, fingerprint(stages[0]?.content)]));
  // A job that finishes a failed one cannot tell which configuration that one has changed.
  const changed = new Set(read.filter(({ finding }) => isOfFailedJob || changes(finding)).map(({ object }) => object));
  return workloads.map((one) => {
    const content = one.stages[firstOf(one)]?.content;
    const text = content && configurationFor(content, configuration, changed);
    return { ...one, configuration: text === undefined ? undefined : fingerprint(text) };
  });
}

/** Names contents by their fingerprints, and remembers them. */
function createKeeper(fingerprint: (content: unknown) => string, keepsAll: boolean) {
  const contents = new Map<string, JsonObject>();
  const keep = (content: JsonObject): string => {
    const name = fingerprint(content);
    contents.set(name, content);
    return name;
  };
  return {
    contents,
    wanted: ({ object, part, rank, firstStage, stages, finding, configuration }: Compared): DraftedObject => ({
      object,
      part,
      rank,
      firstStage,
      finding,
      stages: stages.map((stage) => stage && { content: keep(stage.content), images: stage.images }),
      former: finding.former && keep(finding.former),
      configuration,
      kept: undefined,
    }),
    unwanted: (one: Unwanted, finding: ObjectFinding): DraftedObject => ({
      object: one.object,
      part: 'after',
      rank: 0,
      stages: [],
      firstStage: -1,
      finding,
      former: finding.former && keep(finding.former),
      configuration: undefined,
      kept: keptReason(one, finding, keepsAll),
    }),
  };
}

/** What a job is about, as far as it concerns objects. */
export interface ObjectsSpec extends Pick<JobSpec, 'targets' | 'isPastReturn'> {
  readonly objects: TaskObjects;
  /** Objects whose other managers the request acknowledges. */
  readonly acknowledged?: readonly string[] | undefined;
}

/** Compares everything with a few requests for each kind. `installed` are the versions that are installed now, oldest first. */
export async function draftObjects(
  { deployment, ...tools }: ObjectDependencies,
  { objects, acknowledged = [], targets, isPastReturn }: ObjectsSpec,
  installed: readonly Version[],
  signal?: AbortSignal,
): Promise<DraftedObjects> {
  const source = await findSource({ ...tools, deployment }, { ...objects, targets, installed }, signal);
  if (source.kind === 'problem') return { ...NO_OBJECTS, problem: source.problem, hasObjects: true };
  const { wanted, unwanted, isUndo } = source;
  const { fingerprint } = tools.contents;
  const compare: Compare = async (all) =>
    all.length === 0
      ? []
      : deployment.compareObjects(
          all.map((one) => ({
            ...one,
            ...(acknowledged.includes(one.object) && { isAcknowledged: true }),
            ...(isUndo && one.content !== undefined && { isUndo }),
          })),
          signal,
        );
  const single = wanted.filter(({ part }) => part !== 'workloads');
  const findings = await compare([
    ...single.map((one) => ({ object: one.object, content: one.stages[0]?.content, installed: one.installed })),
    ...unwanted.map(({ object }) => ({ object, content: undefined })),
  ]);
  const others = single.flatMap((one, n): Compared[] => {
    const finding = findings[n];
    return finding === undefined ? [] : [{ ...one, finding, firstStage: changes(finding) ? 0 : -1 }];
  });
  const workloads = wanted.filter(({ part }) => part === 'workloads');
  const compared = await compareWorkloads(withConfiguration(workloads, others, isPastReturn, fingerprint), compare);
  const keeper = createKeeper(fingerprint, objects.keepsAll === true);
  const drafted = [...others, ...compared].map(keeper.wanted);
  const removals = unwanted.flatMap((one, n) => {
    const finding = findings[single.length + n];
    return finding === undefined || finding.kind === 'absent' ? [] : [keeper.unwanted(one, finding)];
  });
  const objectsOfJob = [...drafted, ...removals];
  return { objects: objectsOfJob, contents: keeper.contents, problem: undefined, hasObjects: true, isUndo };
}
