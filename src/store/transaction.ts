import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Decision } from '../model/decision.ts';
import type { ClosedWhen } from '../model/mode.ts';
import { refuseWhenClosed } from '../model/mode.ts';
import type { Mode } from '../model/mode.ts';
import type { Engine, WriteLock } from './engine/engine.ts';
import type { Revisions, Topic } from './engine/revisions.ts';
import { raiseRevision } from './engine/revisions.ts';
import type { Row, Script } from './engine/script.ts';
import { integer, row, rows, text, toDocument } from './engine/script.ts';

export interface TableDependencies {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly revisions: Revisions;
}

export interface TransactionOptions {
  readonly closedWhen: ClosedWhen;
  readonly lock?: WriteLock;
}

/** The announcements and the audit notes of a decision, for the transaction of its change. */
export function* recordDecision(by: Actor, at: number, decision: Decision<unknown>): Script<void> {
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

export const MODE = 'select is_read_only, message, set_by from mode where id = 1';

export function modeOf(found: Row | undefined): Mode {
  if (found === undefined) throw new Error('the mode has no row');
  return {
    isReadOnly: integer(found, 'is_read_only') === 1,
    message: text(found, 'message'),
    setBy: text(found, 'set_by') as Mode['setBy'],
  };
}

function* readMode(): Script<Mode> {
  return modeOf(yield* row(MODE));
}

/** Raises the revision of a topic, in the transaction of the change that it tells of. */
export type RaiseRevision = (topic: Topic) => Script<number>;

/** One transaction: the mode is read in it, and the revisions that tell the other replicas are raised in it. */
export async function transaction<T>(
  needs: TableDependencies,
  changing: TransactionOptions,
  script: (raise: RaiseRevision) => Script<T>,
): Promise<T> {
  const { closedWhen, lock = 'shared' } = changing;
  const raised = new Map<Topic, number>();
  const result = await needs.engine.write(lock, function* (): Script<T> {
    raised.clear();
    if (closedWhen !== 'never') refuseWhenClosed(closedWhen, yield* readMode());
    return yield* script(function* (topic) {
      const n = yield* raiseRevision(topic);
      raised.set(topic, n);
      return n;
    });
  });
  for (const [topic, n] of raised) needs.revisions.noticed(topic, n);
  return result;
}
