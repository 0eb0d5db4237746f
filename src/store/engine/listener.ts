// The connection on which a replica hears of changes that other replicas make (LISTEN), and by which they see that it runs. If it is
// lost, the replica still polls.
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { Loop } from '../../foundation/loop.ts';
import { PRESENCE_LOCKS, REVISION_CHANNEL } from './dialect.ts';
import type { OnRaised } from './engine.ts';

const RECONNECT_AFTER_MS = SECOND;

/** Resolves when the connection has ended. Rejects if it cannot be made. */
async function hear(client: Client, presence: number, onRaised: OnRaised): Promise<void> {
  client.on('notification', ({ payload = '' }) => {
    const [topic = '', revision = ''] = payload.split(' ');
    if (/^\d+$/.test(revision)) onRaised(topic, Number(revision));
  });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  // Shared, because a session that was lost a moment ago may still hold it.
  await client.query(`select pg_advisory_lock_shared(${PRESENCE_LOCKS}, ${presence})`);
  await client.query(`listen ${REVISION_CHANNEL}`);
  await ended;
}

/** Listens until it is stopped, and connects again when the connection is lost. */
export function startListener(connect: () => Client, presence: number, onRaised: OnRaised, log: Log): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const done = (async () => {
    while (!signal.aborted) {
      const client = connect();
      // Without a listener, the error of a lost connection would end the process.
      client.on('error', () => undefined);
      const heard = hear(client, presence, onRaised).catch((error: unknown) =>
        log.debug(
          { reason: reasonOf(error) },
          'this replica cannot listen for the changes of other replicas; it polls instead',
        ),
      );
      await Promise.race([heard, stopped]);
      await client.end().catch(() => undefined);
      if (!signal.aborted) await setTimeout(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
