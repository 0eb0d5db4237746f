import type { Act, Deployment, Failure } from '../ports/deployment.ts';
import { imagesInWords, inParallel } from './rollout.ts';
import { message } from '../journal/messages.ts';
import type { Change, Plan } from '../plan/plan.ts';
import type { StepNeeds } from './step.ts';
import { perform, runOf } from './step.ts';
import { NEVER } from './controlRequests.ts';

/** Each workload with the images from before the job, wave by wave, those that came last first. */
function formerOf({ steps }: Plan): readonly (readonly Change[])[] {
  const seen = new Set<string>();
  const waves: (readonly Change[])[] = [];
  for (const step of steps) {
    if (step.kind !== 'leg') continue;
    for (const wave of step.waves) {
      waves.unshift(wave.filter(({ workload }) => !seen.has(workload)));
      for (const { workload } of wave) seen.add(workload);
    }
  }
  return waves;
}

/** The workloads that were not as before when putting back began. */
const CHANGED = 'undo/changed';

function actOf({ workload, from }: Change): Act {
  return { kind: 'images', workload, images: from };
}

export interface Undone {
  readonly hasChanged: boolean;
  readonly faults: readonly Failure[];
}

/**
 * Puts back whatever is not as it was, found by looking and not by remembering: of what was begun last, nobody knows whether it
 * was. One that cannot be put back keeps nothing else from being put back.
 */
export async function undo(plan: Plan, deployment: Deployment, needs: StepNeeds): Promise<Undone> {
  const { journal, acting } = needs;
  const faults: Failure[] = [];
  const waves = formerOf(plan);
  const legs = plan.steps.filter(({ kind }) => kind === 'leg').map(({ key }) => key);
  const attempts = Array.from({ length: needs.attempt + 1 }, (_, n) => n);
  const wasGiven = (workload: string): boolean =>
    legs.some((leg) => attempts.some((n) => journal.saidAt(`${leg}/${workload}:2038#${n}`) !== undefined));
  const looks = await acting.insist('looking at the deployment', () => deployment.observe(waves.flat().map(actOf)));
  if ('reason' in looks) return { hasChanged: true, faults: [looks] };
  const isAsBefore = new Set(waves.flat().filter((_, n) => looks[n]?.state === 'done'));
  // What is told its former images, and was never given others, may have been unwell before: that is not for us to mend.
  const isOurs = (change: Change, n: number): boolean => looks[n]?.state === 'absent' || wasGiven(change.workload);
  const found = waves
    .flat()
    .filter((change, n) => !isAsBefore.has(change) && isOurs(change, n))
    .map(({ workload }) => workload);
  // Whoever takes over finds some of them put back already, and must tell of those too.
  if (found.length > 0 && !journal.has(CHANGED))
    await journal.write({ steps: [{ name: CHANGED, tookMs: 0, result: found }] });
  const changed = new Set([...((journal.result(CHANGED) ?? []) as readonly string[]), ...found]);
  let hasChanged = changed.size > 0;

  async function putBack(change: Change): Promise<undefined> {
    const { workload, from } = change;
    if (!changed.has(workload)) return undefined;
    const done = isAsBefore.has(change) ? undefined : await perform(needs, workload, actOf(change), NEVER.signal);
    if (done !== undefined && 'reason' in done) faults.push(done);
    else
      await journal.write({
        say: [message(2931, { workload, image: imagesInWords(from) }, `undo/${workload}:2931`)],
      });
    return undefined;
  }

  async function putDatabaseBack(primary: string): Promise<void> {
    hasChanged = true;
    if (journal.has('undo/database')) return;
    const act = { kind: 'database', phase: 'restore', run: runOf(needs.job, 'undo', needs.attempt) } as const;
    const done = await perform(needs, 'The relational database', act, NEVER.signal);
    if (done === undefined) return;
    if ('reason' in done) faults.push(done);
    else
      await journal.write({
        steps: [{ name: 'undo/database', tookMs: done.tookMs }],
        say: [message(2932, { primary }, 'undo:2932')],
      });
  }

  for (const wave of waves) await inParallel(wave, needs.parallel, NEVER, putBack);
  const database = plan.steps.find((step) => step.kind === 'database');
  if (database !== undefined && journal.saidAt('database:2108') !== undefined) await putDatabaseBack(database.primary);
  return { hasChanged, faults };
}
