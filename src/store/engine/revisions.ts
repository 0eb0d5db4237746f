import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import type { Dialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import { codec, integer, optional, text } from './codec.ts';
import type { Script } from './script.ts';
import { row } from './script.ts';
import type { StoreTime } from './storeTime.ts';

export type Topic = 'access' | 'catalog' | 'mode' | 'webhooks' | 'jobs' | 'versions';

const PULL_EVERY_MS = 300;
/** Longer than a pull and its pause, and shorter than the second within which every replica must see a change. */
const TRUSTED_FOR_MS = 900;

export interface Revisions {
  /** Calls the listener after each committed change of the topic: here immediately, on other replicas when they hear of it. */
  watch(topic: Topic, listener: () => void): void;
  /** Records that a topic has reached this revision, and calls its listeners if that is new. */
  noticed(topic: Topic, n: number): void;
  isUpToDate(): boolean;
  /** Resolves when everything that was committed before the call is known here, and its listeners were called. */
  catchUp(): Promise<void>;
  /** The time since the last successful pull. */
  silentForMs(): number;
  stop(): Promise<void>;
}

const revisionNumber = integer('n');
const pulled = codec({ topic: text('topic'), n: integer('n'), now: optional(integer('now')) });
const pullOf = ({ serverTime = 'null' }: Dialect): string => `select topic, n, ${serverTime} as now from revision`;

export interface RevisionDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the time of the store, and the times of this machine before and after it was asked. */
  readonly measured: StoreTime['measured'];
}

/** Raises the revision of a topic, and wakes the other replicas in the same statement. */
export function* raiseRevision({ wakeReplicas }: Dialect, topic: Topic): Script<number> {
  const raised = yield* row(`update revision set n = n + 1 where topic = $1 returning n${wakeReplicas}`, topic);
  if (raised === undefined) throw new Error(`there is no revision ${topic}`);
  return revisionNumber.read(raised);
}

/** Runs `pull` for any number of callers, each of whom gets a pull that began after the call. */
function shared(pull: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function begin(): Promise<void> {
    current = pull().finally(() => {
      current = undefined;
    });
    return current;
  }
  return () => {
    if (current === undefined) return begin();
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}

/**
 * Every change raises the revision of its topic and wakes the other replicas. They also pull all revisions, because a notice
 * may be lost. With `alone` there are no other replicas.
 */
export function createRevisions(
  engine: Engine,
  { clock, log, measured }: RevisionDependencies,
  alone: boolean,
): Revisions {
  const listeners: { readonly topic: Topic; readonly listener: () => void }[] = [];
  const seen = new Map<string, number>();
  let pulledAt = clock.now();

  function noticed(topic: string, n: number): void {
    if ((seen.get(topic) ?? 0) >= n) return;
    seen.set(topic, n);
    for (const one of listeners) if (one.topic === topic) one.listener();
  }

  const pull = shared(async () => {
    const asked = clock.now();
    const askedAt = Date.now();
    const found = await engine.read(pulled.all(pullOf(engine.dialect)));
    const [first] = found;
    if (first?.now !== undefined) measured(first.now, askedAt, Date.now());
    for (const { topic, n } of found) noticed(topic, n);
    pulledAt = asked;
  });
  const loops = alone
    ? []
    : [
        engine.listen(noticed),
        startLoop({ name: 'revisions', pauseMs: PULL_EVERY_MS, clock, log, turn: () => pull() }),
      ];

  return {
    watch: (topic, listener) => {
      listeners.push({ topic, listener });
    },
    noticed,
    silentForMs: () => (alone ? 0 : clock.now() - pulledAt),
    isUpToDate: () => alone || clock.now() - pulledAt < TRUSTED_FOR_MS,
    catchUp: async () => (alone ? undefined : pull()),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
