// The runs of phases, kept in Steward's own store: which were begun, by which holder of the job, and how they ended. A later holder
// begins a run again that an earlier one left; what the run does is idempotent.
import type { DocumentMap, DocumentStore } from '../../foundation/documentStore.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { Failure } from '../../model/failure.ts';
import type { DatabasePhase } from '../../model/workload.ts';

const ALL = 'database/';
const FENCE = 'database/fence';
const RUNS = 'database/run/';

export interface PhaseRun {
  readonly run: string;
  readonly phase: DatabasePhase;
  /** The roles before the job. */
  readonly primary: string;
  readonly standby: string;
  /** Of the holder that began it last. */
  readonly fence: number;
  readonly begunAt: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly failure?: Failure;
}

function nameOf(run: string): string {
  return `${RUNS}${encodeURIComponent(run)}`;
}

function fenceIn(documents: DocumentMap): number {
  return Number(valueAt(documents.get(FENCE), 'fence') ?? 0);
}

// Only this file writes these documents, so the rest of their shape is trusted.
function isPhaseRun(document: unknown): document is PhaseRun {
  return isObject(document) && typeof document['run'] === 'string';
}

function runIn(documents: DocumentMap, run: string): PhaseRun | undefined {
  const found = documents.get(nameOf(run));
  return isPhaseRun(found) ? found : undefined;
}

export type BegunRun = 'overtaken' | 'begun' | 'ended';

export function createPhaseRuns(documents: DocumentStore) {
  return {
    async takeOver(fence: number): Promise<void> {
      await documents.change([FENCE], (found) => (fenceIn(found) >= fence ? new Map() : new Map([[FENCE, { fence }]])));
    },

    /** Of the holder that took over last. */
    fence: async (): Promise<number> => fenceIn(await documents.read(FENCE)),

    isOvertaken: async (fence: number): Promise<boolean> => fenceIn(await documents.read(FENCE)) > fence,

    /** Records that a run begins, unless it has ended. A run that failed is begun again by a new name only. */
    async begin(run: Omit<PhaseRun, 'state' | 'failure'>): Promise<BegunRun> {
      let result: BegunRun = 'begun';
      await documents.change([ALL], (found) => {
        const known = runIn(found, run.run);
        result =
          fenceIn(found) > run.fence
            ? 'overtaken'
            : known === undefined || known.state === 'running'
              ? 'begun'
              : 'ended';
        if (result !== 'begun') return new Map();
        return new Map([[nameOf(run.run), { ...run, begunAt: known?.begunAt ?? run.begunAt, state: 'running' }]]);
      });
      return result;
    },

    /** Records how a run ended, unless another holder has taken over. */
    async end(run: string, fence: number, failure: Failure | undefined): Promise<void> {
      await documents.change([ALL], (found) => {
        const known = runIn(found, run);
        if (known === undefined || known.fence !== fence || fenceIn(found) > fence) return new Map();
        const ended = failure === undefined ? { ...known, state: 'done' } : { ...known, state: 'failed', failure };
        return new Map([[nameOf(run), ended]]);
      });
    },

    async find(...runs: readonly string[]): Promise<readonly (PhaseRun | undefined)[]> {
      const found = await documents.read(...runs.map(nameOf));
      return runs.map((run) => runIn(found, run));
    },

    /** The run that was begun last. */
    async last(): Promise<PhaseRun | undefined> {
      const found = [...(await documents.read(RUNS)).values()];
      return found.filter(isPhaseRun).toSorted((one, other) => other.begunAt - one.begunAt)[0];
    },
  };
}
