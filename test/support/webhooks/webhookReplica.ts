import type { Actor } from '../../../src/model/actor.ts';
import { localActor } from '../../../src/model/actor.ts';
import type { LogFields } from '../../../src/foundation/log.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import type { Sealer } from '../../../src/foundation/sealer.ts';
import { createSealer } from '../../../src/foundation/sealer.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Courier } from '../../../src/webhooks/delivery/courier.ts';
import type { WebhookDetails } from '../../../src/model/entity/webhook.ts';
import type { Scope } from '../../../src/model/serviceKey.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { ManualClock } from '../clock/manualClock.ts';
import type { ScriptedReceiver } from './scriptedReceiver.ts';
import { scriptedReceiver } from './scriptedReceiver.ts';

export const BY: Actor = localActor('test');
export const SERVICE: Scope = { folder: 'F', name: 'A', type: 'Query' };

export interface WebhookReplica {
  readonly webhooks: Webhooks;
  readonly receiver: ScriptedReceiver;
  readonly clock: ManualClock;
  /** What was logged. */
  readonly lines: readonly LogFields[];
  start(): Courier;
  subscribe(more?: Partial<WebhookDetails>, scope?: Scope, signatureKey?: string): Promise<string>;
  publish(count: number, scope?: Scope, type?: string): Promise<void>;
  /** Lets time pass in steps until the condition holds. */
  until(holds: () => Promise<boolean> | boolean, stepMs?: number): Promise<void>;
  /** Lets this much time pass, in steps. */
  run(ms: number, stepMs?: number): Promise<void>;
  ledger(id: string, scope?: Scope): Promise<Record<string, number>>;
  /** Stops couriers, and lets time pass until they have stopped. */
  stop(...couriers: readonly Courier[]): Promise<void>;
}

/** The webhooks of one replica on a store, with a clock that the test moves and scripted receivers. */
export function createWebhookReplica(
  store: Store,
  clock: ManualClock,
  more: { readonly sealer?: Sealer; readonly perWebhook?: number; readonly pace?: number } = {},
): WebhookReplica {
  const receiver = scriptedReceiver();
  const lines: LogFields[] = [];
  const webhooks = createWebhooks({
    store: store.webhooks,
    jobs: store.jobs,
    receiver,
    sealer: more.sealer ?? createSealer([Buffer.alloc(32, 7)]),
    clock,
    log: { ...silentLog, warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }) },
    limits: { total: 512, perWebhook: more.perWebhook ?? 16 },
    pacePerSecond: more.pace ?? 50,
    retentionDays: 30,
    installation: 'test',
  });
  store.revisions.watch('webhooks', webhooks.invalidate);
  let made = 0;

  // A delivery in progress must not lose its lease because time moves on in long steps.
  const until = (holds: () => Promise<boolean> | boolean, stepMs = 50): Promise<void> =>
    clock.untilTrue(String(holds), holds, () => (webhooks.inFlight() > 0 ? Math.min(stepMs, 50) : stepMs));

  return {
    webhooks,
    receiver,
    clock,
    lines,
    start: () => webhooks.startCourier(),
    async subscribe(details = {}, scope = SERVICE, signatureKey) {
      made += 1;
      const all = { name: `hook ${made}`, hookUrl: `http://receiver.example/${made}`, ...details };
      return (await webhooks.create(BY, scope, all, { signatureKey, headers: {} })).webhook.id;
    },
    async publish(count, scope = SERVICE, type = 'thing.changed') {
      const one = { type, payload: '{"n":1}', eventId: undefined };
      await webhooks.publish(
        scope,
        Array.from({ length: count }, () => one),
      );
    },
    until,
    async run(ms, stepMs = 50) {
      const end = clock.now() + ms;
      await until(() => clock.now() >= end, stepMs);
    },
    async stop(...couriers) {
      const stopping = Promise.all(couriers.map((one) => one.stop()));
      let isDone = false;
      void stopping.finally(() => (isDone = true));
      await until(() => isDone, 1000);
      await stopping;
    },
    async ledger(id, scope = SERVICE) {
      const { ledger, webhook } = await webhooks.show(scope, id);
      const { accepted, delivered, failed, discarded } = ledger;
      const waiting = accepted - delivered - failed - discarded;
      return {
        accepted,
        delivered,
        failed,
        discarded,
        pending: webhook.active ? waiting : 0,
        held: webhook.active ? 0 : waiting,
      };
    },
  };
}
