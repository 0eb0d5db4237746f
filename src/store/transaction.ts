// Every write of the store goes through `transaction`, which also enforces read-only mode and tells the other replicas
// which topics changed. A decision's announcements and audit notes are written by `recordDecision`, in the same transaction.
import type { Clock } from '../foundation/clock.ts';
import type { Actor } from '../model/actor.ts';
import type { Announcement, Decision } from '../model/decision.ts';
import type { ClosedWhen, Mode } from '../model/mode.ts';
import { refuseWhenClosed } from '../model/mode.ts';
import { codec, flag, integer, json, oneOf, optional, text } from './engine/codec.ts';
import type { Engine, WriteLock } from './engine/engine.ts';
import type { Revisions, Topic } from './engine/revisions.ts';
import { raiseRevision } from './engine/revisions.ts';
import type { Script } from './engine/script.ts';
import { table } from './engine/table.ts';

export interface TableDependencies {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly revisions: Revisions;
}

/** Announcements that have not become events yet. */
export const outbox = table('outbox', {
  at: integer('at'),
  type: text('type'),
  service: optional(codec({ folder: text('folder'), name: text('name'), type: text('service_type') })),
  data: json<Announcement['data']>('data'),
});

export const auditNotes = table('audit', {
  when: integer('at'),
  who: text('who'),
  from: text('address'),
  requestId: text('request_id'),
  action: text('action'),
  target: text('target'),
  before: optional(json<unknown>('before_state')),
  after: optional(json<unknown>('after_state')),
});

/** Writes the announcements and audit notes of a decision, in the transaction of its change. */
export function* recordDecision(
  { name: who, address: from, requestId }: Actor,
  at: number,
  { announce, audit }: Decision<unknown>,
): Script<void> {
  for (const { type, service, data } of announce) yield* outbox.insert({ at, type, service, data });
  for (const { action, target, before, after } of audit)
    yield* auditNotes.insert({ when: at, who, from, requestId, action, target, before, after });
}

/** A table with one row. */
export const modes = table('mode', {
  isReadOnly: flag('is_read_only'),
  message: text('message'),
  setBy: oneOf('set_by', ['hand', 'job', 'failure']),
});

export function readMode(): Script<Mode> {
  return modes.only(`${modes.select} where id = 1`);
}

/** Raises the revision of a topic, in the transaction of the change, so that every replica learns of it. */
export type RaiseRevision = (topic: Topic) => Script<number>;

/**
 * Runs a script as one transaction. Whether the system is read-only is read inside it, and listeners of the topics whose
 * revision it raised are called when reads see it, so that no one sees a part of it.
 */
export async function transaction<T>(
  { engine, revisions }: TableDependencies,
  { closedWhen, lock = 'shared' }: { readonly closedWhen: ClosedWhen; readonly lock?: WriteLock },
  script: (raise: RaiseRevision) => Script<T>,
): Promise<T> {
  const raised = new Map<Topic, number>();
  function* run(): Script<T> {
    raised.clear();
    if (closedWhen !== 'never') refuseWhenClosed(closedWhen, yield* readMode());
    return yield* script(function* (topic) {
      const revision = yield* raiseRevision(engine.dialect, topic);
      raised.set(topic, revision);
      return revision;
    });
  }
  return engine.write(lock, run, () => {
    for (const [topic, revision] of raised) revisions.noticed(topic, revision);
  });
}
