import type { Clock } from '../../foundation/clock.ts';
import type { Said } from '../../jobs/jobStore.ts';
import type { Acting } from './act.ts';
import type { Act, Failure } from '../ports/deployment.ts';
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase } from '../../model/workload.ts';
import type { LegNeeds } from './rollout.ts';
import { runLeg } from './rollout.ts';
import { message, withLines } from '../journal/messages.ts';
import type { LegStep, Step } from '../plan/plan.ts';

type OtherStep = Exclude<Step, LegStep>;
type DatabaseStep = Extract<Step, { kind: 'database' }>;

export interface StepNeeds extends LegNeeds {
  readonly job: string;
  readonly licence: (upload: string) => Promise<string>;
}

const BEFORE_HOOK: Readonly<Partial<Record<Hook, (mark: string) => readonly Said[]>>> = {
  backup: (mark) => [message(2910, {}, `${mark}:2910`)],
  'portal-content': (mark) => [message(2187, {}, `${mark}:2187`)],
  logging: (mark) => [message(2179, {}, '2179'), message(2180, {}, `${mark}:2180`)],
  'auto-deployed-services': (mark) => [message(2179, {}, '2179'), message(2178, {}, `${mark}:2178`)],
  'search-indices': (mark) => [message(2179, {}, '2179'), message(2191, {}, `${mark}:2191`)],
};

const AFTER_HOOK: Readonly<Partial<Record<Hook, (lines: string) => Said>>> = {
  backup: (lines) => message(2911, { lines }),
  'portal-content': (lines) => message(2188, { lines }),
  logging: (lines) => message(2181, { lines }),
  'auto-deployed-services': (lines) => message(2185, { lines }),
  'search-indices': (lines) => message(2192, { lines }),
};

const BEFORE_PHASE: Readonly<Partial<Record<DatabasePhase, (step: DatabaseStep) => Said>>> = {
  readOnly: () => message(2108, {}, 'database:2108'),
  engine: ({ standby }) => message(2144, { standby }, 'database:2144'),
  afterEngine: () => message(2148, {}, 'database:2148'),
};

const AFTER_PHASE: Readonly<
  Partial<Record<DatabasePhase, (step: DatabaseStep, lines: readonly string[]) => readonly Said[]>>
> = {
  readOnly: ({ primary }) => [message(2087, { primary })],
  promote: ({ standby }) => [message(2090, { standby })],
  engine: ({ standby }, lines) => [
    message(2145, { standby }),
    message(2153, { result: lines.at(-1) ?? '{"databases":[]}' }),
  ],
  afterEngine: () => [message(2149, {})],
  readWrite: ({ standby }) => [message(2093, { standby })],
  roles: ({ standby }) => [message(2151, { standby })],
  standby: ({ primary }) => [message(2092, { primary }), message(2109, {})],
};

function before(step: OtherStep, mark: string): readonly Said[] {
  if (step.kind === 'hook') return BEFORE_HOOK[step.hook]?.(mark) ?? [];
  const said = step.kind === 'database' ? BEFORE_PHASE[step.phase]?.(step) : undefined;
  return said === undefined ? [] : [said];
}

function after(step: OtherStep, lines: readonly string[]): readonly Said[] {
  if (step.kind === 'hook') {
    const said = AFTER_HOOK[step.hook]?.(withLines(lines));
    return said === undefined ? [] : [said];
  }
  if (step.kind === 'database') return AFTER_PHASE[step.phase]?.(step, lines) ?? [];
  if (step.kind === 'licence') return [message(2916, {})];
  return [message(2915, { volumes: Object.keys(step.volumes).join(', ') })];
}

async function actOf(step: OtherStep, run: string, licence: StepNeeds['licence']): Promise<Act> {
  if (step.kind === 'hook') return { kind: 'hook', hook: step.hook, run };
  if (step.kind === 'database') return { kind: 'database', phase: step.phase, run };
  if (step.kind === 'licence') return { kind: 'licence', content: await licence(step.upload) };
  return { kind: 'volumes', volumes: step.volumes };
}

/** Begins an act and waits for its end, whatever it is. */
export async function perform(
  { acting, clock }: { readonly acting: Acting; readonly clock: Clock },
  what: string,
  act: Act,
  halt: AbortSignal,
): Promise<{ readonly lines: readonly string[]; readonly tookMs: number } | Failure | undefined> {
  const beganAt = clock.now();
  const refused = await acting.begin(what, act);
  if (refused !== undefined) return refused;
  const outcome = await acting.wait(what, act, beganAt, halt);
  if (outcome.kind === 'failed') return outcome.fault;
  return outcome.kind === 'done' ? { lines: outcome.lines, tookMs: Math.max(1, clock.now() - beganAt) } : undefined;
}

/** A run of a hook or a phase is told apart from those of other jobs, and of the same job's other attempts. */
export function runOf(job: string, key: string, attempt: number): string {
  return `${job}/${key}#${attempt}`;
}

export async function runStep(step: Step, needs: StepNeeds): Promise<Failure | undefined> {
  const { journal, halt } = needs;
  await journal.write({ phase: step.key });
  if (step.kind === 'leg') {
    const fault = await runLeg(step, needs);
    if (fault === undefined && halt.mayBegin()) await journal.write({ steps: [{ name: step.key, tookMs: 0 }] });
    return fault;
  }
  const said = before(step, step.key);
  if (said.length > 0) await journal.write({ say: said });
  const act = await actOf(step, runOf(needs.job, step.key, needs.attempt), needs.licence);
  const done = await perform(needs, step.title, act, halt.signal);
  if (done === undefined || 'reason' in done) return done;
  const { lines, tookMs } = done;
  await journal.write({ steps: [{ name: step.key, tookMs }], units: 1, say: after(step, lines) });
  return undefined;
}
