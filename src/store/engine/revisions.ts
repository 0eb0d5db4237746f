import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Engine } from './engine.ts';
import type { Script } from './script.ts';
import { integer, row, text } from './script.ts';

export type Topic = 'access' | 'catalog' | 'mode' | 'webhooks' | 'jobs' | 'versions';

const PULL_EVERY_MS = 300;
/** Longer than a pull and its pause, shorter than the second in which every replica must know. */
const TRUSTED_FOR_MS = 900;

export interface Revisions {
  /** Called after a change of the topic is committed, here at once, on other replicas with their next pull. */
  watch(topic: Topic, listener: () => void): void;
  noticed(topic: Topic, n: number): void;
  isUpToDate(): boolean;
  /** For how long nothing has been heard of the other replicas. */
  silentForMs(): number;
  stop(): Promise<void>;
}

export function* raiseRevision(topic: Topic): Script<number> {
  const raised = yield* row('update revision set n = n + 1 where topic = $1 returning n', topic);
  if (raised === undefined) throw new Error(`there is no revision ${topic}`);
  return integer(raised, 'n');
}

/** `alone`: no other process writes to this store, so there is nothing to pull. */
export function createRevisions(engine: Engine, clock: Clock, log: Log, alone: boolean): Revisions {
  const listeners: { readonly topic: Topic; readonly listener: () => void }[] = [];
  const seen = new Map<string, number>();
  let pulledAt = clock.now();

  function noticed(topic: string, n: number): void {
    if ((seen.get(topic) ?? 0) >= n) return;
    seen.set(topic, n);
    for (const one of listeners) if (one.topic === topic) one.listener();
  }

  const loop = alone
    ? undefined
    : startLoop({
        name: 'revisions',
        pauseMs: PULL_EVERY_MS,
        clock,
        log,
        turn: async () => {
          const asked = clock.now();
          for (const found of await engine.query('select topic, n from revision')) {
            noticed(text(found, 'topic'), integer(found, 'n'));
          }
          pulledAt = asked;
        },
      });

  return {
    watch: (topic, listener) => {
      listeners.push({ topic, listener });
    },
    noticed,
    silentForMs: () => (alone ? 0 : clock.now() - pulledAt),
    isUpToDate: () => alone || clock.now() - pulledAt < TRUSTED_FOR_MS,
    stop: async () => loop?.stop(),
  };
}
