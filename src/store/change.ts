import type { Actor } from '../foundation/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Decision } from '../foundation/decision.ts';
import { readOnlyError } from '../foundation/errors.ts';
import type { Engine, WriteLock } from './engine.ts';
import type { Revisions, Topic } from './revisions.ts';
import { raiseRevision } from './revisions.ts';
import type { Script } from './script.ts';
import { integer, row, rows, text, toDocument } from './script.ts';

/** What read-only mode closes: `content` always, `upkeep` only while a job holds it, `nothing` never. */
export type ClosedBy = 'content' | 'upkeep' | 'nothing';

export interface ChangeNeeds {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly revisions: Revisions;
}

export interface Changing {
  readonly closedBy: ClosedBy;
  readonly lock?: WriteLock;
}

function* refuseWhenReadOnly(closedBy: ClosedBy): Script<void> {
  if (closedBy === 'nothing') return;
  const mode = yield* row('select is_read_only, message, set_by from mode where id = 1');
  if (mode === undefined || integer(mode, 'is_read_only') === 0) return;
  if (closedBy === 'upkeep' && text(mode, 'set_by') !== 'job') return;
  throw readOnlyError(text(mode, 'message'));
}

/** The announcements and the audit notes of a decision, for the transaction of its change. */
export function* tell(by: Actor, at: number, decision: Decision<unknown>): Script<void> {
  for (const { type, service, data } of decision.announce) {
    yield* rows(
      'insert into outbox (at, type, folder, name, service_type, data) values ($1, $2, $3, $4, $5, $6)',
      at,
      type,
      service?.folder ?? null,
      service?.name ?? null,
      service?.type ?? null,
      JSON.stringify(data),
    );
  }
  for (const { action, target, before, after } of decision.audit) {
    yield* rows(
      `insert into audit (at, who, address, request_id, action, target, before_state, after_state)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      at,
      by.name,
      by.address,
      by.requestId,
      action,
      target,
      toDocument(before),
      toDocument(after),
    );
  }
}

/** Raises the revision of a topic, in the transaction of the change that it tells of. */
export type Raise = (topic: Topic) => Script<number>;

/** One transaction: the mode is read in it, and the revisions that tell the other replicas are raised in it. */
export async function change<T>(
  needs: ChangeNeeds,
  changing: Changing,
  script: (raise: Raise) => Script<T>,
): Promise<T> {
  const { closedBy, lock = 'shared' } = changing;
  const raised = new Map<Topic, number>();
  const result = await needs.engine.write(lock, function* (): Script<T> {
    raised.clear();
    yield* refuseWhenReadOnly(closedBy);
    return yield* script(function* (topic) {
      const n = yield* raiseRevision(topic);
      raised.set(topic, n);
      return n;
    });
  });
  for (const [topic, n] of raised) needs.revisions.noticed(topic, n);
  return result;
}
