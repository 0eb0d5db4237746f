// The crash tests: every kind of job with every fault, stopped at the writes of its journal and compared with an undisturbed
// run. Two test files share them, so that they run in two processes.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Mode } from '../../../../src/model/mode.ts';
import type { JobState } from '../../../../src/model/jobState.ts';
import { IS_SOAK } from '../../run/limits.ts';
import { CODE } from '../codes.ts';
import type { Interruption } from './crashablePorts.ts';
import type { Outcome, CrashRuns } from './crashRuns.ts';
import { DEADLINE_MS, LEASE_MS, SMALL, openCrashRuns } from './crashRuns.ts';
import type { JobKindName, FaultCase } from '../faultCases.ts';
import { NEVER_REMOVED } from '../objects/objectVersions.ts';
import { codesOf, messageProblems, textsOf } from '../messageOrder.ts';

/** `npm run chaos` makes one of this many runs, the soak all of them. */
const ONE_IN = 41;

const INTERRUPTIONS: readonly Omit<Interruption, 'at'>[] = (['killed', 'frozen', 'failing'] as const).flatMap((kind) =>
  (['before', 'after'] as const).map((side) => ({ kind, side })),
);

type CrashCase = readonly [kind: JobKindName, name: string, fault: FaultCase];

function casesOf(kinds: readonly JobKindName[], faults: readonly FaultCase[]): readonly CrashCase[] {
  return faults.flatMap((fault) =>
    kinds.filter((kind) => fault.ends[kind] !== undefined).map((kind) => [kind, fault.name, fault] as const),
  );
}

const { workloads: WORKLOADS } = SMALL.inventory;
/** A job restores the mode that it found. */
const OPEN: Mode = { isReadOnly: false, message: '', setBy: 'hand' };
const BY_HAND: Mode = { isReadOnly: true, message: 'by hand', setBy: 'hand' };

/** Each case begins at another offset, so that the sample is spread over all runs. */
function* interruptions(writes: number, offset: number, oneIn: number): Generator<Interruption> {
  let n = offset;
  for (let at = 1; at <= writes; at += 1)
    for (const interruption of INTERRUPTIONS) {
      n += 1;
      if (n % oneIn === 0) yield { ...interruption, at };
    }
}

function told({ entries }: Outcome): string {
  return entries.map(({ code, text }) => `  ${code} ${text.slice(0, 120)}`).join('\n');
}

/** The differences from the undisturbed run, and what is wrong in itself. */
function problemsOf(disturbed: Outcome, whole: Outcome): readonly string[] {
  const problems = [...messageProblems(disturbed, WORKLOADS)];
  const same = (what: string, one: unknown, other: unknown): void => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      problems.push(`${what}: ${JSON.stringify(one)} and not ${JSON.stringify(other)}`);
  };
  for (const [what, value] of Object.entries(whole.end)) same(what, disturbed.end[what as keyof Outcome['end']], value);
  same('codes', codesOf(disturbed.entries), codesOf(whole.entries));
  if (whole.end.state === 'succeeded') same('texts', textsOf(disturbed.entries), textsOf(whole.entries));
  // At worst, the job waits once more for the deployment and once more for the step itself.
  const allowedMs = whole.tookMs + LEASE_MS + 2 * (DEADLINE_MS + 10_000);
  if (!(disturbed.tookMs <= allowedMs)) problems.push(`it took ${disturbed.tookMs} ms, and may take ${allowedMs}`);
  return problems;
}

/** A failed job ends in time, and its last messages say what happened, to what, and what to do. */
function endProblems({ end, entries, tookMs }: Outcome, { names }: FaultCase): readonly string[] {
  const textOf = (code: number): string => entries.findLast((one) => one.code === code)?.text ?? '';
  const cause = `${textOf(CODE.stepFailed)} ${textOf(CODE.undoFailed)}`;
  const last = entries.at(-1)?.text ?? '';
  const isTold =
    end.state === 'succeeded' ||
    (end.state === 'failed' ? /retry/ : /POST system\/upgrades\/(?:upgrade|rollback)/).test(last);
  return [
    // One step may time out, and the undo may time out too.
    ...(tookMs < 2 * DEADLINE_MS + 60_000 ? [] : [`it took ${tookMs} ms`]),
    ...(names === undefined || names.test(cause) ? [] : [`the cause is not named: ${cause}`]),
    ...(names === undefined || /^What to do: [A-Z].{20}/.test(textOf(CODE.advice))
      ? []
      : ['no message says what to do']),
    ...(isTold ? [] : [`the last message does not say how to go on: ${last}`]),
  ];
}

/** An undo leaves every object as it was, and what the job has created and is never removed. */
function undoneProblems({ end, before }: Outcome): readonly string[] {
  if (end.state !== 'undone') return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(end.objects)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(end.objects[name]))
    .filter((name) => !(before[name] === undefined && NEVER_REMOVED.has(name)))
    .map((name) => `${name} was ${JSON.stringify(before[name])} and is ${JSON.stringify(end.objects[name])}`);
}

async function undisturbed(crashRuns: CrashRuns, kind: JobKindName, fault: FaultCase, mode: Mode): Promise<Outcome> {
  const outcome = await crashRuns.run(kind, fault, mode);
  const problems = [...messageProblems(outcome, WORKLOADS), ...endProblems(outcome, fault), ...undoneProblems(outcome)];
  const { state, mode: after } = outcome.end;
  const said = told(outcome);
  // A job that stops past the point of no return, or in its rollback, keeps read-only mode and says why.
  const isKept = fault.ends[kind] === 'failed';
  const reason = fault.leavesClosed === true ? CODE.readOnlyKept : CODE.readOnlyKeptAfterFailure;
  const kept = mode.isReadOnly ? CODE.readOnlyKeptByHand : reason;
  expect(outcome.entries.at(-2)?.code === kept).toBe(isKept);
  const right = isKept && !mode.isReadOnly ? { isReadOnly: true, setBy: 'failure', message: after.message } : mode;
  expect({ state, after, problems, said }).toEqual({ state: fault.ends[kind], after: right, problems: [], said });
  return outcome;
}

export interface CrashSuite {
  readonly kinds: readonly JobKindName[];
  readonly faults: readonly FaultCase[];
  /** Only cases that end in one of these states. */
  readonly ends: readonly JobState[];
  /** The least number of interrupted runs. */
  readonly enough: { readonly sample: number; readonly soak: number };
  /** `npm run chaos` makes one of this many runs, of one of this many cases. */
  readonly oneIn?: number;
  readonly casesOneIn?: number;
}

/** Runs the cases of these kinds of job with these faults. */
export function crashSuite({ kinds, faults, ends, enough, oneIn = ONE_IN, casesOneIn = 1 }: CrashSuite): void {
  const all = casesOf(kinds, faults);
  const cases = all.filter(([kind, , { ends: byKind }]) => ends.some((end) => end === byKind[kind]));
  let crashRuns: CrashRuns;
  let runs = 0;

  beforeEach(async () => {
    crashRuns = await openCrashRuns();
  });
  afterEach(async () => {
    await crashRuns.close();
  });

  test.each(IS_SOAK ? cases : cases.filter((_, n) => n % casesOneIn === 0))(
    'a %s with "%s" ends the same wherever it is stopped',
    async (kind, name, fault) => {
      const index = all.findIndex((one) => one[0] === kind && one[1] === name);
      const mode = index % 2 === 0 ? OPEN : BY_HAND;
      const whole = await undisturbed(crashRuns, kind, fault, mode);
      const failures: string[] = [];
      for (const interruption of interruptions(whole.writes, index, IS_SOAK ? 1 : oneIn)) {
        runs += 1;
        const where = `${interruption.kind} ${interruption.side} write ${interruption.at} of ${whole.writes}`;
        const outcome = await crashRuns.run(kind, fault, mode, interruption);
        const problems = problemsOf(outcome, whole);
        if (problems.length > 0) failures.push([`${where}:`, ...problems, told(outcome)].join('\n'));
      }
      expect(failures).toEqual([]);
    },
  );

  test('the sample has enough runs', () => {
    expect(runs).toBeGreaterThan(IS_SOAK ? enough.soak : enough.sample);
  });
}
