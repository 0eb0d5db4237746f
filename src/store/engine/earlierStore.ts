// Brings stores that were made before version 0.1.0 was complete to its schema. Until then, migrations that had landed were edited, so
// these stores differ from what the names of their migrations say. What is there is found in the columns, not in the names: a store may
// also have been opened by a later build, which added a part and left the rest as it was.
import { DAY } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { codec, text } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Script } from './script.ts';
import { rows } from './script.ts';

/** Names that earlier builds recorded, and that no migration has any more. */
const FORMER_NAMES = ['tokenOwners', 'heldResends', 'claims'];
const FORMER_INDEXES = [
  'delivery_due',
  'delivery_leased',
  'delivery_settled',
  'delivery_failed',
  'delivery_sent_while_inactive',
  'event_at',
  'job_entry_mark',
];
/** Columns of `delivery` that are now columns of `queue`. */
const QUEUED_COLUMNS = ['due_at', 'owner', 'round_attempts', 'resend_of', 'sent_while_inactive'];

type HasColumn = (table: string, column: string) => boolean;

const columns = codec({ table: text('table_name'), name: text('column_name') });

function* readColumns({ columnsOfTables }: Dialect): Script<HasColumn> {
  const found = new Set((yield* columns.all(columnsOfTables)).map(({ table, name }) => `${table}.${name}`));
  return (table, column) => found.has(`${table}.${column}`);
}

const openJobs = codec({ id: text('id'), kind: text('kind') });
/** The latest upgrade, if it is under way or failed. `adopt` after a failed one ends it. */
const OPEN_JOB = `select latest.id, latest.kind from (
    select * from job where kind in ('upgrade', 'rollback') order by started_at desc limit 1) as latest
  where (latest.state in ('running', 'paused', 'undoing') or (latest.state = 'failed'
    and not exists (select 1 from installed_version where how = 'adopt' and at >= coalesce(latest.ended_at, latest.started_at))))`;
const WITHOUT_JOURNAL = 'and not exists (select 1 from job_journal where job_id = latest.id)';

/** The steps of an upgrade were kept in `job_step`, which this version cannot go on from. */
function* refuseOpenJob(has: HasColumn): Script<void> {
  if (!has('job_step', 'job_id')) return;
  const open = yield* openJobs.first(has('job_journal', 'entry') ? `${OPEN_JOB} ${WITHOUT_JOURNAL}` : OPEN_JOB);
  if (open === undefined) return;
  throw new StewardError(
    'conflict',
    `The ${open.kind} job ${open.id} is not finished, and an earlier version of Steward started it, whose journal this version cannot read. Nothing was changed. Start the earlier version again, finish the job there (resume, retry or cancel it, or adopt the running version), then start this version.`,
  );
}

/** Before the migrations that the store lacks: makes room for the tables that they create. */
export function* beginEarlierStore(dialect: Dialect): Script<void> {
  const has = yield* readColumns(dialect);
  yield* refuseOpenJob(has);
  // One row for each claimed delivery. The server that claimed it has ended, and the delivery is pending as before.
  if (has('claim', 'delivery_id')) yield* rows('drop table claim');
}

/** A delivery that a server was sending when it ended is due at once, before those that were accepted after it. */
function* fillQueue(has: HasColumn): Script<void> {
  const due = has('delivery', 'owner') ? 'case when owner is null then due_at else created_at end' : 'due_at';
  const resendOf = has('delivery', 'resend_of') ? 'resend_of' : 'cast(null as text)';
  const sentWhileInactive = has('delivery', 'sent_while_inactive') ? 'sent_while_inactive' : '0';
  yield* rows(`insert into queue (delivery_id, event_seq, webhook_seq, created_at, due_at, fence, attempts, round_attempts,
      failed_at, resend_of, sent_while_inactive)
    select id, event_seq, webhook_seq, created_at, ${due}, fence + 1, attempts, round_attempts,
      failed_at, ${resendOf}, ${sentWhileInactive}
    from delivery where state = 'pending' and not exists (select 1 from queue where delivery_id = delivery.id)`);
}

function* upgradeDeliveries({ roomForChanges }: Dialect, has: HasColumn): Script<void> {
  yield* fillQueue(has);
  for (const column of QUEUED_COLUMNS)
    if (has('delivery', column)) yield* rows(`alter table delivery drop column ${column}`);
  yield* rows('alter table delivery add column is_failed bigint not null default 0');
  yield* rows(`update delivery set is_failed = 1 where state = 'failed'`);
  yield* rows('create index delivery_failed on delivery (webhook_seq, id) where is_failed = 1');
  if (roomForChanges !== '') yield* rows('alter table delivery set (fillfactor = 80)');
}

function* upgradeAttempts(has: HasColumn, now: number): Script<void> {
  if (!has('attempt', 'url')) yield* rows('alter table attempt add column url text');
  yield* rows('alter table attempt add column settles bigint not null default 0');
  // For the overview, which counts the deliveries of the last hour.
  yield* rows(
    `update attempt set settles = 1 where at > $1 and exists (select 1 from delivery where id = attempt.delivery_id
      and state in ('delivered', 'failed') and attempts = attempt.number)`,
    now - DAY,
  );
  yield* rows('create index attempt_settles on attempt (at) where settles = 1');
}

/** After the migrations that the store lacked: moves what they found in another form, and drops what is not used any more. */
export function* finishEarlierStore(dialect: Dialect, now: number): Script<void> {
  const has = yield* readColumns(dialect);
  const isBeforeQueue = has('delivery', 'round_attempts');
  for (const index of FORMER_INDEXES)
    if (isBeforeQueue || index !== 'delivery_failed') yield* rows(`drop index if exists ${index}`);
  if (isBeforeQueue) yield* upgradeDeliveries(dialect, has);
  if (!has('attempt', 'settles')) yield* upgradeAttempts(has, now);
  if (has('job_entry', 'mark')) yield* rows('alter table job_entry drop column mark');
  yield* rows('drop table if exists job_step');
  for (const name of FORMER_NAMES) yield* rows('delete from schema_migration where name = $1', name);
}
