// The tables of jobs, and the scripts that other stores use to write a job in their own transactions.
import type { Appended, Job, JournalEntry, Lease, Progress } from '../../jobs/jobStore.ts';
import { ACTIVE_STATES, JOB_STATES, WORKED_STATES, canBecome, isActive } from '../../model/jobState.ts';
import type { JobState } from '../../model/jobState.ts';
import { flag, integer, json, oneOf, optional, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { RaiseRevision, TableDependencies } from '../transaction.ts';

export const jobTable = table('job', {
  id: text('id'),
  kind: text('kind'),
  state: oneOf('state', JOB_STATES),
  task: optional(json<unknown>('task')),
  cursor: optional(json<unknown>('cursor')),
  phase: text('phase'),
  done: integer('done'),
  total: integer('total'),
  isCancelled: flag('is_cancelled'),
  isPausing: flag('is_pausing'),
  startedBy: text('started_by'),
  started: integer('started_at'),
  endsAt: optional(integer('ends_at')),
  ended: optional(integer('ended_at')),
});

const leasedJobTable = jobTable.with({ leaseUntil: integer('lease_until'), fence: integer('fence') });

export const messageTable = table('job_entry', {
  number: integer('number'),
  at: integer('at'),
  code: optional(integer('code')),
  text: text('text'),
});
const storedMessages = messageTable.with({ job: text('job_id') });

export const journalTable = table('job_journal', { at: integer('at'), entry: json<JournalEntry>('entry') });
const storedEntries = journalTable.with({
  job: text('job_id'),
  number: integer('number'),
  fence: integer('fence'),
  kind: text('kind'),
});

function stateIn(states: readonly JobState[]): string {
  return `state in (${states.map((state) => `'${state}'`).join(', ')})`;
}

export const ACTIVE = stateIn(ACTIVE_STATES);
export const WORKED = stateIn(WORKED_STATES);

const updateJob = leasedJobTable.updater(
  ['id'],
  ['state', 'cursor', 'phase', 'done', 'total', 'isCancelled', 'isPausing', 'endsAt', 'ended', 'leaseUntil'],
);

type Addition = Pick<Progress, 'entries' | 'messages'>;

function refuseTransition(job: string, from: JobState, to: JobState | undefined): void {
  if (to === undefined || canBecome(from, to)) return;
  throw new Error(`the job ${job} cannot become ${to}, because it is ${from}`);
}

/** The time of what is written now. It never goes back within a job, even if the clocks of the replicas differ. */
function* timeOf(job: string, now: number): Script<number> {
  const [last = 0] = yield* numbers('select coalesce(max(at), 0) from job_entry where job_id = $1', job);
  return Math.max(now, last);
}

function* nextNumber(from: 'job_entry' | 'job_journal', job: string): Script<number> {
  const [last = 0] = yield* numbers(`select coalesce(max(number), 0) from ${from} where job_id = $1`, job);
  return last + 1;
}

/** Creates the scripts that write jobs. */
export function jobScripts({ engine: { dialect }, clock }: TableDependencies) {
  const { forUpdate } = dialect;
  const insertMessages = storedMessages.batchInserter(dialect);
  const insertEntries = storedEntries.batchInserter(dialect);

  /** Appends journal entries and the messages that describe them. */
  function* addToJournal(lease: Lease, at: number, { entries = [], messages = [] }: Addition): Script<void> {
    const { job, fence } = lease;
    if (entries.length > 0) {
      const next = yield* nextNumber('job_journal', job);
      yield* insertEntries(entries.map((entry, n) => ({ job, number: next + n, at, fence, kind: entry.kind, entry })));
    }
    if (messages.length > 0) {
      const next = yield* nextNumber('job_entry', job);
      yield* insertMessages(messages.map((message, n) => ({ ...message, job, number: next + n, at })));
    }
  }

  /** Writes what a holder has done, in its transaction. Writes nothing if another holder has the job. */
  function* advance(lease: Lease, decide: (at: number) => Progress, raise: RaiseRevision): Script<Appended> {
    const job = yield* leasedJobTable.first(
      `${leasedJobTable.select} where id = $1 and fence = $2 and ${WORKED}${forUpdate}`,
      lease.job,
      lease.fence,
    );
    if (job === undefined) return 'lost';
    const now = clock.now();
    const at = yield* timeOf(job.id, now);
    const { entries, messages, onlyIf, state, endsAt = job.endsAt, ...change } = decide(at);
    if (onlyIf !== undefined && (job.isCancelled || (onlyIf === 'pausing' && !job.isPausing))) return 'unwanted';
    refuseTransition(job.id, job.state, state);
    const isEnd = state !== undefined && !isActive(state);
    yield* updateJob({
      ...job,
      ...change,
      endsAt,
      state: state ?? job.state,
      isPausing: state === undefined && job.isPausing,
      ended: isEnd ? now : job.ended,
      leaseUntil: state === 'paused' ? 0 : job.leaseUntil,
    });
    yield* addToJournal(lease, at, { entries, messages });
    yield* raise('jobs');
    return 'written';
  }

  /** Changes a job on behalf of a person. A new state ends the lease, so that a runner takes the job up at once. */
  function* control(
    id: string,
    { state, ...flags }: Partial<Pick<Job, 'state' | 'cursor' | 'isPausing' | 'isCancelled'>>,
    addition: Addition,
  ): Script<void> {
    const job = yield* leasedJobTable.only(`${leasedJobTable.select} where id = $1${forUpdate}`, id);
    refuseTransition(id, job.state, state);
    const restarted = state === undefined ? {} : { state, leaseUntil: 0, ended: undefined };
    yield* updateJob({ ...job, ...flags, ...restarted });
    yield* addToJournal({ job: id, fence: job.fence }, yield* timeOf(id, clock.now()), addition);
  }

  function* add(job: Job, addition: Addition = {}): Script<void> {
    yield* leasedJobTable.insert({ ...job, leaseUntil: 0, fence: 0 });
    yield* addToJournal({ job: job.id, fence: 0 }, job.started, addition);
  }

  return { add, advance, control };
}
