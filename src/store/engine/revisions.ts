import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Engine } from './engine.ts';
import { integer, text } from './codec.ts';
import type { Script } from './script.ts';
import { numbers } from './script.ts';
import { table } from './table.ts';

export type Topic = 'access' | 'catalog' | 'mode' | 'webhooks' | 'jobs' | 'versions';

const PULL_EVERY_MS = 300;
/** Longer than a pull and its pause, and shorter than the second within which every replica must see a change. */
const TRUSTED_FOR_MS = 900;

export interface Revisions {
  /** Calls the listener after each committed change of the topic: here immediately, on other replicas after their next pull. */
  watch(topic: Topic, listener: () => void): void;
  /** Records that a topic has reached this revision, and calls its listeners if that is new. */
  noticed(topic: Topic, n: number): void;
  isUpToDate(): boolean;
  /** The time since the last successful pull. */
  silentForMs(): number;
  stop(): Promise<void>;
}

const topics = table('revision', { topic: text('topic'), n: integer('n') });

export function* raiseRevision(topic: Topic): Script<number> {
  const [raised] = yield* numbers('update revision set n = n + 1 where topic = $1 returning n', topic);
  if (raised === undefined) throw new Error(`there is no revision ${topic}`);
  return raised;
}

/** Every change raises the revision of its topic. Replicas pull all revisions; with `alone` there are no other replicas. */
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
          for (const { topic, n } of await engine.read(topics.all(topics.select))) noticed(topic, n);
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
