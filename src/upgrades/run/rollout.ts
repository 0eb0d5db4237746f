import type { Clock } from '../../foundation/clock.ts';
import type { Said } from '../../jobs/jobStore.ts';
import type { Acting } from './act.ts';
import type { Failure } from '../ports/deployment.ts';
import { message, minutes } from '../journal/messages.ts';
import type { Change, LegStep } from '../plan/plan.ts';
import type { RunJournal } from '../journal/journalWriter.ts';
import type { Halt } from './controlRequests.ts';

export interface LegNeeds {
  readonly acting: Acting;
  readonly journal: RunJournal;
  readonly clock: Clock;
  readonly parallel: number;
  readonly attempt: number;
  readonly started: number;
  readonly halt: Halt;
}

/** So many at once; the first fault keeps the others from being begun, and nobody waits for what is under way. */
export async function inParallel<T>(
  items: readonly T[],
  parallel: number,
  halt: Halt,
  work: (item: T) => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  const waiting = [...items];
  let fault: Failure | undefined;
  const workers = Array.from({ length: Math.min(parallel, items.length) }, async () => {
    while (halt.mayBegin()) {
      const item = waiting.shift();
      if (item === undefined) return;
      const failed = await work(item);
      if (failed === undefined) continue;
      fault ??= failed;
      halt.stop();
    }
  });
  await Promise.all(workers);
  return fault;
}

export function imagesInWords(images: Change['to']): string {
  return images.map(({ image }) => image).join(', ');
}

/** Updates the workloads of one leg, wave after wave. */
export async function runLeg(leg: LegStep, needs: LegNeeds): Promise<Failure | undefined> {
  const { acting, journal, clock, halt } = needs;
  const all = leg.waves.flat();
  const isRelease = leg.update === 'release';
  const keyOf = ({ workload }: Change): string => `${leg.key}/${workload}`;
  const left = all.filter((change) => !journal.has(keyOf(change)));
  let updated = all.length - left.length;
  const leftIn = new Map<string, number>();
  for (const { component } of left) leftIn.set(component, (leftIn.get(component) ?? 0) + 1);

  function before(change: Change): readonly Said[] {
    const { workload, component, module } = change;
    if (!isRelease) return [message(2291, { module }, `${leg.key}:2291:${module}`)];
    return [
      message(2134, { component }, `${leg.key}:2134:${component}`),
      message(2101, { workload }, `${keyOf(change)}:2101`),
    ];
  }

  function after({ workload, component }: Change): readonly Said[] {
    updated += 1;
    const ms = Math.max(0, clock.now() - needs.started);
    const progress = { done: updated, total: all.length, ms, minutes: minutes(ms) };
    if (!isRelease) return [message(2173, progress)];
    const rest = (leftIn.get(component) ?? 1) - 1;
    leftIn.set(component, rest);
    return [
      message(2103, { workload }),
      message(2175, progress),
      ...(rest === 0 ? [message(2132, { component })] : []),
    ];
  }

  async function update(change: Change): Promise<Failure | undefined> {
    const { workload, to } = change;
    const act = { kind: 'images', workload, images: to } as const;
    const mark = `${keyOf(change)}:2038#${needs.attempt}`;
    if (journal.saidAt(mark) === undefined) {
      await journal.write({ say: before(change) });
      const refused = await acting.begin(workload, act);
      if (refused !== undefined) return refused;
      await journal.write({ say: [message(2038, { workload, image: imagesInWords(to) }, mark)] });
    }
    const beganAt = journal.saidAt(mark) ?? clock.now();
    const outcome = await acting.wait(workload, act, beganAt, halt.signal);
    if (outcome.kind !== 'done') return outcome.kind === 'failed' ? outcome.fault : undefined;
    const tookMs = Math.max(1, clock.now() - beganAt);
    await journal.write({ steps: [{ name: keyOf(change), tookMs }], units: 1, say: after(change) });
    return undefined;
  }

  for (const wave of leg.waves) {
    const waiting = wave.filter((change) => !journal.has(keyOf(change)));
    const fault = await inParallel(waiting, needs.parallel, halt, update);
    if (fault !== undefined || !halt.mayBegin()) return fault;
  }
  return undefined;
}
