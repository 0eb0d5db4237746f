// Sends events to the replicas until it is stopped. An event without an answer is sent again with the same eventId, as an
// integrator should do, so that an accepted event is one that the server has confirmed.
import { systemClock } from '../../foundation/clock.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { deliveryOperations } from '../../wire/operations/webhookOperations.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { callOperation } from '../remote/typedCall.ts';
import type { Random } from './random.ts';
import type { Replicas } from './replicas.ts';

export const SERVICE = 'Prove.Test';
const CLIENTS = 4;
const MOST_AT_ONCE = 5;
const AGAIN_MS = 50;
/** A client does not wait longer for a replica that may be frozen. */
const ANSWER_MS = 2000;
/** With more events under way than this, the clients wait: the test is about losses, not about throughput. */
const MOST_UNDER_WAY = 2000;

export interface EventLoad {
  /** The ids of accepted events, which receivers get as webhook-id. */
  readonly accepted: ReadonlySet<string>;
  isOn(): boolean;
  /** Stops sending, and resolves when every event that was sent is accepted. */
  stop(): Promise<void>;
}

export function startEventLoad(replicas: Replicas, random: Random, arrived: () => number): EventLoad {
  const accepted = new Set<string>();
  const stopping = new AbortController();
  let count = 0;

  async function send(events: readonly object[]): Promise<void> {
    const sent = { names: { service: SERVICE }, fields: { events: JSON.stringify(events) } };
    for (;;) {
      const replica = random.pick(replicas.running());
      try {
        const call = replica && callOperation(replica.connection, deliveryOperations.events, sent);
        const answer = await Promise.race([call, systemClock.sleep(ANSWER_MS)]);
        const stored = valueAt(answer, 'events');
        if (Array.isArray(stored)) {
          for (const one of stored) accepted.add(String(valueAt(one, 'id')));
          return;
        }
      } catch (error) {
        const isTemporary =
          error instanceof CommandFailure && (error.exit === 'noServer' || error.exit === 'unavailable');
        if (!isTemporary) throw error;
      }
      await systemClock.sleep(AGAIN_MS);
    }
  }

  async function client(): Promise<void> {
    while (!stopping.signal.aborted) {
      const events = Array.from({ length: random.between(1, MOST_AT_ONCE) }, () => {
        count += 1;
        return { event: 'prove', payload: { n: count }, eventId: `prove-${count}` };
      });
      await send(events);
      do await systemClock.sleep(random.between(5, 25));
      while (!stopping.signal.aborted && accepted.size - arrived() > MOST_UNDER_WAY);
    }
  }

  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  // A client that fails is reported by `stop`.
  clients.catch(() => undefined);
  return {
    accepted,
    isOn: () => !stopping.signal.aborted,
    async stop() {
      stopping.abort();
      await clients;
    },
  };
}
