import type { Clock } from '../../foundation/clock.ts';
import type { Journal, JobStore, Lease, Progress, Said, StepDone } from '../../jobs/jobStore.ts';

/** The job is no longer ours, or the server stops: whoever takes it up goes on from the journal. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

interface Entry {
  readonly say?: readonly Said[];
  readonly steps?: readonly StepDone[];
  /** How many units of progress this is. */
  readonly units?: number;
  readonly phase?: string;
  readonly total?: number;
}

interface Waiting {
  readonly entry: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What a run has written so far, and the one way in which it writes: in the order of the calls, many in one transaction. */
export function createRunJournal(needs: {
  readonly jobs: JobStore;
  readonly lease: Lease;
  readonly initial: Journal;
  readonly done: number;
  readonly clock: Clock;
  /** When the job will have ended, looked at anew with every write. */
  readonly endsAt: () => number | undefined;
}) {
  const { jobs, lease, clock } = needs;
  const steps = new Map(needs.initial.steps);
  const marks = new Map(needs.initial.marks);
  let { done } = needs;
  let waiting: Waiting[] = [];
  let isWriting = false;
  /** After a write that has failed, what is remembered here and what is in the store may differ: nothing more is written. */
  let broken: { readonly error: unknown } | undefined;

  async function append(progress: Progress): Promise<void> {
    const endsAt = needs.endsAt();
    const appended = await jobs.append(lease, { ...(endsAt === undefined ? {} : { endsAt }), ...progress });
    if (appended === 'lost') throw new Stopped();
  }

  function merged(entries: readonly Entry[]): Progress {
    const phase = entries.findLast((entry) => entry.phase !== undefined)?.phase;
    const total = entries.findLast((entry) => entry.total !== undefined)?.total;
    for (const { units = 0, say = [], steps: ended = [] } of entries) {
      done += units;
      for (const { mark } of say) if (mark !== undefined) marks.set(mark, clock.now());
      for (const { name, result } of ended) steps.set(name, result);
    }
    return {
      say: entries.flatMap(({ say = [] }) => say),
      steps: entries.flatMap(({ steps: ended = [] }) => ended),
      done,
      ...(phase === undefined ? {} : { phase }),
      ...(total === undefined ? {} : { total }),
    };
  }

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        if (broken !== undefined) throw broken.error;
        await append(merged(batch.map(({ entry }) => entry)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        broken = { error };
        for (const { reject } of [...batch, ...waiting]) reject(error);
        waiting = [];
      }
    }
    isWriting = false;
  }

  return {
    has: (step: string): boolean => steps.has(step),
    result: (step: string): unknown => steps.get(step),
    units: (): number => done,
    /** The names of the steps that are done. */
    done: (): ReadonlySet<string> => new Set(steps.keys()),
    saidAt: (mark: string): number | undefined => marks.get(mark),

    write: (entry: Entry): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        void writeAll();
      }),

    /** Only if nobody has changed their mind meanwhile: false then. Nothing else is being written. */
    async pass(progress: Progress & { readonly onlyIf: string }): Promise<boolean> {
      const appended = await jobs.append(lease, progress);
      if (appended === 'lost') throw new Stopped();
      return appended === 'written';
    },

    /** A change of state; nothing else is being written. */
    turn: append,
  };
}

export type RunJournal = ReturnType<typeof createRunJournal>;
