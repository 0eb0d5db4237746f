// The session in which a replica hears of changes that other replicas make (LISTEN), and by which they see that it runs: it holds a lock.
// If the session is lost, the replica polls, and a connection of the pool holds the lock until there is a new one.
import { setTimeout as setTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { Loop } from '../../foundation/flow/loop.ts';
import { PRESENCE_LOCKS, REVISION_CHANNEL } from './dialect.ts';
import type { OnRaised } from './engine.ts';
import type { PostgresPool } from './postgresPool.ts';

const RECONNECT_AFTER_MS = SECOND;
const STAND_IN_AFTER_MS = 100;
const LOST = 'its connection was lost';

export interface ListenerOptions {
  readonly pool: Pick<PostgresPool, 'newClient' | 'connect'>;
  readonly presence: number;
  /** Whether the pool can spare a connection. */
  readonly hasStandIn: boolean;
  readonly log: Log;
}

export interface Listener {
  /** Listens until it is stopped, and connects again when the connection is lost. */
  start(onRaised: OnRaised): Loop;
  /** Whether the other replicas can see that this one runs. */
  isPresent(): boolean;
  /** When that became true again after it was lost, by the monotonic clock; undefined if it was never lost. */
  regainedAt(): number | undefined;
}

/** What holds the lock now. A loss that lasts for a second is logged. */
function createHolders(log: Log) {
  const held = new Set<'listener' | 'standIn'>();
  let regainedAt: number | undefined;
  let loss: { readonly timer: NodeJS.Timeout; isLogged: boolean } | undefined;

  function lose(reason: string): void {
    if (held.size > 0 || loss !== undefined) return;
    const timer = setTimer(() => {
      if (loss !== undefined) loss.isLogged = true;
      log.warn(
        { reason },
        'the other replicas cannot see that this one runs; what it claims is protected by its leases only, and it polls for changes',
      );
    }, SECOND).unref();
    loss = { timer, isLogged: false };
  }

  return {
    isPresent: (): boolean => held.size > 0,
    regainedAt: () => regainedAt,
    take(holder: 'listener' | 'standIn'): void {
      held.add(holder);
      if (loss === undefined) return;
      clearTimeout(loss.timer);
      regainedAt = performance.now();
      if (loss.isLogged) log.info({}, 'the other replicas can see again that this one runs');
      loss = undefined;
    },
    leave(holder: 'listener' | 'standIn', reason: string): void {
      held.delete(holder);
      lose(reason);
    },
    /** After this, a loss is intended. */
    stop: () => clearTimeout(loss?.timer),
  };
}

const ended = (client: Pick<Client, 'once'>): Promise<void> => new Promise((resolve) => client.once('end', resolve));

export function createListener({ pool, presence, hasStandIn, log }: ListenerOptions): Listener {
  const holders = createHolders(log);
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  // Shared, because a session that was lost a moment ago may still hold it.
  const LOCK = `select pg_advisory_lock_shared(${PRESENCE_LOCKS}, ${presence})`;
  /** Aborted when the listener holds the lock again. */
  let waiting = new AbortController();
  let standingIn: Promise<void> | undefined;

  const rest = (ms: number): Promise<unknown> => setTimeout(ms, undefined, { signal }).catch(() => undefined);

  async function holdInPool(heard: Promise<void>): Promise<void> {
    const client = await pool.connect();
    const lost = ended(client);
    try {
      await client.query(LOCK);
      holders.take('standIn');
      await Promise.race([heard, lost, stopped]);
    } finally {
      holders.leave('standIn', LOST);
      // Its lock ends with it.
      client.release(true);
    }
  }

  async function standIn(): Promise<void> {
    waiting = new AbortController();
    const heard = new Promise<void>((resolve) =>
      waiting.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    while (!waiting.signal.aborted && !signal.aborted) {
      await holdInPool(heard).catch(() => undefined);
      if (!waiting.signal.aborted) await rest(STAND_IN_AFTER_MS);
    }
    standingIn = undefined;
  }

  /** Resolves when the connection has ended. Rejects if it cannot be made. */
  async function hear(client: Client, onRaised: OnRaised): Promise<void> {
    client.on('notification', ({ payload = '' }) => {
      const [topic = '', revision = ''] = payload.split(' ');
      if (/^\d+$/.test(revision)) onRaised(topic, Number(revision));
    });
    const lost = ended(client);
    await client.connect();
    await client.query(LOCK);
    await client.query(`listen ${REVISION_CHANNEL}`);
    holders.take('listener');
    waiting.abort();
    await lost;
  }

  async function listen(onRaised: OnRaised): Promise<void> {
    const client = pool.newClient();
    // Without a listener, the error of a lost connection would end the process.
    client.on('error', () => undefined);
    let reason = LOST;
    const heard = hear(client, onRaised).catch((error: unknown) => (reason = reasonOf(error)));
    await Promise.race([heard, stopped]);
    if (!signal.aborted && hasStandIn) standingIn ??= standIn();
    holders.leave('listener', reason);
    await client.end().catch(() => undefined);
  }

  async function listenAgainAndAgain(onRaised: OnRaised): Promise<void> {
    while (!signal.aborted) {
      await listen(onRaised);
      await rest(RECONNECT_AFTER_MS);
    }
    await standingIn;
  }

  return {
    isPresent: holders.isPresent,
    regainedAt: holders.regainedAt,
    start(onRaised) {
      const done = listenAgainAndAgain(onRaised);
      return {
        async stop() {
          stopping.abort();
          await done;
          holders.stop();
        },
      };
    },
  };
}
