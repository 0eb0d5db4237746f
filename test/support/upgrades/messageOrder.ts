import type { Job, JobMessage } from '../../../src/jobs/jobStore.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { MessageName } from '../../../src/upgrades/journal/messages.ts';
import { MESSAGES } from '../../../src/upgrades/journal/messages.ts';
import { CODE } from './codes.ts';

/** A job that has ended, with its messages. */
export interface Ended {
  readonly job: Pick<Job, 'state' | 'done' | 'total'>;
  readonly entries: readonly JobMessage[];
  /** The values of `done` that were written or read, in order. */
  readonly progress: readonly number[];
}

/** The messages of the steps of a job, in their order. Not every kind of job has all of them. */
const STEPS = [
  ['upgradeStarted', 'rollbackStarted'],
  ['readOnlyEntered'],
  ['upgraderLaunching'],
  ['diagnosticsStarted'],
  ['databaseValidated'],
  ['indexPrerequisitePassed'],
  ['diagnosticsCompleted'],
  ['planPreparing'],
  ['planExecuting'],
  ['volumesReady'],
  ['licenceDelivered'],
  ['backupStarted'],
  ['backupCompleted'],
  ['databaseUpgradeStarted'],
  ['primarySetReadOnly'],
  ['standbyPromoted'],
  ['engineUpgradeStarted'],
  ['engineUpgradeFinished'],
  ['databaseResult'],
  ['databasePostUpgradeStarted'],
  ['databasePostUpgradeCompleted'],
  ['pointOfNoReturn'],
  ['primarySetReadWrite'],
  ['rolesChanged'],
  ['standbyAdded'],
  ['databaseUpgradeCompleted'],
  ['componentStarted', 'deploymentStarted', 'deploymentCompleted', 'releaseProgress', 'componentCompleted'],
  ['modulePatchStarted', 'patchProgress'],
  ['portalContentStarted'],
  ['portalContentCompleted'],
  ['postUpgradeStarted'],
  ['loggingStarted'],
  ['loggingSucceeded'],
  ['servicesRefreshStarted'],
  ['servicesRefreshCompleted'],
  ['searchIndicesStarted'],
  ['searchIndicesCompleted'],
  ['stepFailed'],
  ['undoStarted'],
  ['workloadRestored'],
  ['databaseRestored'],
  ['undoFailed'],
  ['readOnlyLeft'],
  ['upgradeCompleted', 'rollbackSucceeded', 'upgradeStopped', 'rolledBack', 'undoIncomplete'],
  ['upgradeSucceeded'],
] as const satisfies readonly (readonly MessageName[])[];

/**
 * The messages without a place in that order, each with the reason. The compiler reports a message that is in neither list, and
 * `messageProblems` does so too.
 */
const UNORDERED = {
  workloadUpdated: 'its order within a workload is checked by workloadProblems',
  paused: 'a person may pause at any time',
  resumed: 'a person may resume at any time',
  cancelled: 'a person may cancel at any time',
  retried: 'a retry starts again at an earlier step',
  takenOver: 'about the disturbance itself',
  noRestorePoint: 'sent instead of the pair about the backup',
  checkWarned: 'about a check, during the diagnostics',
  checkFailed: 'about a check, during the diagnostics',
  advice: 'follows each failure; its place at the end is in ENDS',
  hookStopped: 'only after a cancel or a failure during a hook',
  hookStillRuns: 'only after a cancel or a failure during a hook',
  readOnlyKept: 'its place at the end is checked by endProblems',
  readOnlyKeptAfterFailure: 'its place at the end is checked by endProblems',
  readOnlyKeptByHand: 'its place at the end is checked by endProblems',
  modeNotShown: 'before the messages of the end',
  stillWaiting: 'about a duration',
  objectsPlanned: 'only of a plan with objects, with 2271',
  workloadChanged: 'sent instead of workloadUpdated',
  objectApplied: 'its place depends on the part of the object',
  objectRemoved: 'its place depends on the part of the object',
  objectRestored: 'only after a cancel or a failure',
} as const satisfies Readonly<Record<Exclude<MessageName, (typeof STEPS)[number][number]>, string>>;

const STEP_OF: ReadonlyMap<number, number> = new Map(
  STEPS.flatMap((names, n) => names.map((name) => [CODE[name], n] as const)),
);
const UNORDERED_CODES: ReadonlySet<number> = new Set(
  Object.entries(MESSAGES).flatMap(([name, { code }]) => (name in UNORDERED ? [code] : [])),
);

/** Messages about the disturbance itself, or about a duration. */
const BY_THE_WAY: ReadonlySet<number | undefined> = new Set([CODE.takenOver, CODE.stillWaiting]);
/** May be repeated: a job can be taken over again, and two failures may have the same advice. */
const MAY_BE_SAID_AGAIN: ReadonlySet<number | undefined> = new Set([CODE.takenOver, CODE.advice]);

const ENDS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  succeeded: [
    [CODE.readOnlyLeft, CODE.upgradeCompleted, CODE.upgradeSucceeded],
    [CODE.readOnlyLeft, CODE.rollbackSucceeded],
  ],
  failed: [
    [CODE.advice, CODE.readOnlyLeft, CODE.upgradeStopped],
    [CODE.advice, CODE.readOnlyLeft, CODE.undoIncomplete],
    ...[CODE.readOnlyKept, CODE.readOnlyKeptAfterFailure, CODE.readOnlyKeptByHand].flatMap((kept) => [
      [CODE.advice, kept, CODE.upgradeStopped],
      [CODE.advice, kept, CODE.undoIncomplete],
    ]),
  ],
  undone: [[CODE.readOnlyLeft, CODE.rolledBack]],
};

/** The codes of the messages, each once, without those of the disturbance. */
export function codesOf(entries: readonly JobMessage[]): readonly number[] {
  const said = entries.filter(({ code }) => !BY_THE_WAY.has(code)).map(({ code }) => code ?? 0);
  return [...new Set(said)].toSorted((one, other) => one - other);
}

/** The texts without durations and job ids, which differ in each run. */
export function textsOf(entries: readonly JobMessage[]): readonly string[] {
  return entries
    .filter(({ code }) => !BY_THE_WAY.has(code))
    .map(({ code, text }) => `${code} ${text.replace(/Elapsed: .*| in \d+ hh .* millisec|system\/jobs\/\w+/g, '')}`)
    .toSorted();
}

function fallsIn(what: string, values: readonly number[]): readonly string[] {
  return values.flatMap((value, n) =>
    value < (values[n - 1] ?? value) ? [`${what} falls from ${values[n - 1]} to ${value}`] : [],
  );
}

function stepProblems(entries: readonly JobMessage[]): readonly string[] {
  const steps = entries.flatMap(({ code }) => STEP_OF.get(code ?? 0) ?? []);
  const unknown = entries.filter(({ code = 0 }) => !STEP_OF.has(code) && !UNORDERED_CODES.has(code));
  return [
    ...fallsIn('the order of steps', steps),
    ...unknown.map(({ code, text }) => `messageOrder.ts neither orders nor exempts ${code} ${text}`),
  ];
}

function twice(entries: readonly JobMessage[]): readonly string[] {
  const seen = new Set<string>();
  return entries.flatMap(({ code, text }) => {
    const said = `${code} ${text}`;
    if (MAY_BE_SAID_AGAIN.has(code) || !seen.has(said)) return seen.add(said) && [];
    return [`said twice: ${said}`];
  });
}

/** Problems in the order of messages about one subject: each needs the one before it. */
function inOrder(what: string, entries: readonly JobMessage[], order: readonly (readonly [number, RegExp])[]) {
  const places = order.map(([code, words]) => entries.findIndex((one) => one.code === code && words.test(one.text)));
  return places.flatMap((place, n) => {
    const before = places[n - 1];
    if (place === -1 || before === undefined || (before !== -1 && before < place)) return [];
    return [`${what}: ${order[n]?.[0]} before ${order[n - 1]?.[0]}`];
  });
}

/** Matches the whole name: names have hyphens. */
function whole(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
}

function workloadProblems(entries: readonly JobMessage[], workloads: readonly Workload[]): readonly string[] {
  const ofPatch = entries.findIndex(({ code }) => code === CODE.modulePatchStarted || code === CODE.patchProgress);
  const releases = ofPatch === -1 ? entries : entries.slice(0, ofPatch);
  const patches = ofPatch === -1 ? [] : entries.slice(ofPatch);
  return workloads.flatMap(({ name, component, module }) => {
    const [ours, components] = [whole(name), whole(component)];
    return [
      ...inOrder(name, releases, [
        [CODE.componentStarted, components],
        [CODE.deploymentStarted, ours],
        [CODE.workloadUpdated, ours],
        [CODE.deploymentCompleted, ours],
        [CODE.componentCompleted, components],
      ]),
      ...inOrder(name, patches, [
        [CODE.modulePatchStarted, whole(module)],
        [CODE.workloadUpdated, ours],
      ]),
    ];
  });
}

function counterProblems(entries: readonly JobMessage[], isSuccess: boolean): readonly string[] {
  return [CODE.patchProgress, CODE.releaseProgress].flatMap((code) => {
    const told = entries.filter((one) => one.code === code).map(({ text }) => /^(\d+) out of (\d+) /.exec(text) ?? []);
    const wrong = told.flatMap(([text, done], n) =>
      Number(done) === n + 1 ? [] : [`${code} number ${n + 1}: ${text}`],
    );
    const [last, done, total] = told.at(-1) ?? [];
    return isSuccess && done !== total ? [...wrong, `${code} ends with ${last}`] : wrong;
  });
}

function endProblems({ entries, job }: Ended): readonly string[] {
  const codes = entries.map(({ code }) => code ?? 0);
  const may = ENDS[job.state] ?? [];
  const isRight = may.some((last) => last.every((code, n) => codes.at(n - last.length) === code));
  const isSuccess = job.state === 'succeeded';
  const lies = isSuccess
    ? []
    : codes.filter((code) => [CODE.upgradeCompleted, CODE.upgradeSucceeded, CODE.rollbackSucceeded].includes(code));
  return [
    ...(isRight ? [] : [`${job.state}, and the last codes are ${codes.slice(-4).join(' ')}`]),
    ...lies.map((code) => `${job.state}, and yet ${code}`),
    ...(isSuccess && job.done !== job.total ? [`it has ended with ${job.done} of ${job.total}`] : []),
  ];
}

/** The problems in the messages and the progress of a job that has ended. */
export function messageProblems(ended: Ended, workloads: readonly Workload[]): readonly string[] {
  const { entries, job, progress } = ended;
  const first = entries[0]?.code === CODE.upgradeStarted || entries[0]?.code === CODE.rollbackStarted;
  const numbers = entries.every(({ number }, n) => number === n + 1);
  return [
    ...(first && entries[1]?.code === CODE.readOnlyEntered ? [] : ['it does not begin with 2010 or 2072, and 2165']),
    ...(numbers ? [] : ['a number of a message is missing']),
    ...stepProblems(entries),
    ...twice(entries),
    ...workloadProblems(entries, workloads),
    ...counterProblems(entries, job.state === 'succeeded'),
    ...fallsIn(
      'time',
      entries.map(({ at }) => at),
    ),
    ...fallsIn('progress', progress),
    ...endProblems(ended),
  ];
}
