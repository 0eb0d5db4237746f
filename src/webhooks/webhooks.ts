import type { Actor } from '../foundation/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY, SECOND } from '../foundation/clock.ts';
import type { Decision } from '../foundation/decision.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import { remember } from '../foundation/remembered.ts';
import type { Sealer } from '../foundation/sealing.ts';
import type { JobKinds } from '../jobs/jobs.ts';
import type { Job, JobStore } from '../jobs/jobStore.ts';
import { createAcceptance } from './acceptance.ts';
import type { Courier } from './courier.ts';
import type { FailureWindow } from './failureWindow.ts';
import { windowAt } from './failureWindow.ts';
import { startCourier } from './courier.ts';
import { TEST_EVENT, bodyOf, newEventId } from './event.ts';
import { createOutgoing, signedShipment } from './outgoing.ts';
import type { DeliveryPolicy, PolicyChange } from './policy.ts';
import { changedPolicy } from './policy.ts';
import type { WouldDeactivate } from './preview.ts';
import { previewPolicy } from './preview.ts';
import type { AttemptOutcome, Receiver } from './receiver.ts';
import { REDELIVERY, redeliveryJob, startRedelivery } from './redelivery.ts';
import { createSchedule } from './schedule.ts';
import { newSigningSecret, openSecrets, rotated, sealSecrets } from './secrets.ts';
import { createTally } from './tally.ts';
import type { WebhookDetails, WebhookEdit } from './webhook.ts';
import { activated, audited, deactivated, newWebhook, refuseSameName, scopeInWords } from './webhook.ts';
import type {
  AcceptedEvent,
  Delivery,
  DeliveryQuery,
  NewEvent,
  Scope,
  Webhook,
  WebhookChange,
  WebhookSeen,
  WebhookStore,
} from './webhookStore.ts';

const DISCARDED_AT_ONCE = 500;
const PRUNED_AT_ONCE = 500;
const PAUSE_BETWEEN_PRUNES_MS = 50;
const FAILURES_LOOKED_AT = 200_000;
const PAGE = 100;

export interface WebhooksNeeds {
  readonly store: WebhookStore;
  readonly jobs: JobStore;
  readonly receiver: Receiver;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: { readonly total: number; readonly perWebhook: number };
  readonly pacePerSecond: number;
  readonly retentionDays: number;
}

/** A webhook as a person sees it. */
export interface WebhookShown extends WebhookSeen {
  readonly window: FailureWindow | undefined;
  /** Of its custom headers; their values may be secret. */
  readonly headerNames: readonly string[];
}

export interface SentEvent {
  readonly type: string;
  readonly payload: string;
  readonly eventId: string | undefined;
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.folder === b.folder && a.name === b.name && a.type === b.type;
}

function put(
  action: string,
  before: Webhook,
  after: Webhook,
  more: { paceRelease?: true } = {},
): Decision<WebhookChange> {
  return { change: { kind: 'put', webhook: after, ...more }, announce: [], audit: [audited(action, before, after)] };
}

const NOTHING: Decision<WebhookChange> = { change: { kind: 'none' }, announce: [], audit: [] };

/** Event → delivery → attempt → failure window. */
export function createWebhooks(needs: WebhooksNeeds) {
  const { store, jobs, receiver, sealer, clock, log } = needs;
  const policy = remember(() => store.policy());
  const schedule = createSchedule(needs.limits);
  const tally = createTally();
  const outgoing = createOutgoing({ store, sealer, clock });
  const accept = createAcceptance({
    store,
    onAccepted(wake, events) {
      tally.accepted(events);
      for (const webhook of wake) schedule.due(webhook, clock.now());
    },
  });

  function notFound(scope: Scope, id: string): StewardError {
    return new StewardError('notFound', `There is no webhook ${id} of ${scopeInWords(scope)}.`);
  }

  async function read(scope: Scope, id: string): Promise<WebhookSeen> {
    const found = await store.webhook(id);
    if (found === undefined || !sameScope(found.webhook.scope, scope)) throw notFound(scope, id);
    return found;
  }

  async function shown(seen: readonly WebhookSeen[]): Promise<readonly WebhookShown[]> {
    const current = await policy.read();
    return seen.map((one) => ({
      ...one,
      window: windowAt(one.webhook.failures, current, clock.now()),
      headerNames: Object.keys(openSecrets(sealer, one.webhook.sealed).headers),
    }));
  }

  /** `decide` sees the webhook under lock, as one of this scope. */
  async function changeOne(
    scope: Scope,
    id: string,
    by: Actor,
    decide: (found: Webhook, names: readonly string[]) => Decision<WebhookChange>,
  ): Promise<Webhook | undefined> {
    return store.changeWebhook(id, by, ({ found, names }) => {
      if (found === undefined || !sameScope(found.scope, scope)) throw notFound(scope, id);
      return decide(found, names);
    });
  }

  async function refuseForbidden(hookUrl: string | undefined): Promise<void> {
    const problem = hookUrl === undefined ? undefined : await receiver.problemWith(hookUrl);
    if (problem !== undefined) throw invalidField('hookUrl', problem);
  }

  async function idsOf(scope: Scope): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let last: string | undefined; ;) {
      const page = await store.webhooks(scope, last, PAGE);
      ids.push(...page.map(({ webhook }) => webhook.id));
      last = page.at(-1)?.webhook.id;
      if (page.length < PAGE) return ids;
    }
  }

  async function activate(by: Actor, scope: Scope, id: string, pending: 'release' | 'discard'): Promise<void> {
    await read(scope, id);
    // Bit by bit, while it is still inactive: however many there are, nobody waits for them.
    while (pending === 'discard' && (await store.discardPending(id, DISCARDED_AT_ONCE)) > 0);
    await changeOne(scope, id, by, (found) =>
      found.active ? NOTHING : put('webhook.activate', found, activated(found, clock.now()), { paceRelease: true }),
    );
    schedule.nudge();
  }

  async function deactivate(by: Actor, scope: Scope, id: string): Promise<void> {
    await changeOne(scope, id, by, (found) =>
      found.active
        ? put('webhook.deactivate', found, deactivated(found, `Deactivated by ${by.name}.`, clock.now()))
        : NOTHING,
    );
  }

  async function remove(by: Actor, scope: Scope, id: string): Promise<void> {
    await changeOne(scope, id, by, (found) => ({
      change: { kind: 'remove' },
      announce: [],
      audit: [audited('webhook.delete', found, undefined)],
    }));
  }

  function ofAll(verb: (by: Actor, scope: Scope, id: string) => Promise<void>) {
    return async (by: Actor, scope: Scope): Promise<number> => {
      const ids = await idsOf(scope);
      for (const id of ids) await verb(by, scope, id);
      return ids.length;
    };
  }

  return {
    policy: policy.read,
    jobKinds: { [REDELIVERY]: redeliveryJob(store, needs.pacePerSecond, schedule.nudge) } satisfies JobKinds,
    tally,
    inFlight: schedule.inFlight,

    /** Something about webhooks or their policy has changed, here or on another replica. */
    forget(): void {
      policy.forget();
      schedule.nudge();
    },

    async changePolicy(by: Actor, change: PolicyChange): Promise<DeliveryPolicy> {
      return store.changePolicy(by, (found) => {
        const next = changedPolicy(found, change);
        return {
          change: next,
          announce: [],
          audit: [{ action: 'webhooks.settings', target: 'webhook settings', before: found, after: next }],
        };
      });
    },

    async preview(change: PolicyChange): Promise<readonly (WouldDeactivate & { readonly name: string })[]> {
      const wanted = changedPolicy(await policy.read(), change);
      const failed = await store.failures(0, FAILURES_LOOKED_AT);
      const found = await Promise.all(
        previewPolicy(wanted, failed).map(async (one) => {
          const seen = await store.webhook(one.webhook);
          return { ...one, name: seen === undefined ? '' : seen.webhook.name };
        }),
      );
      return found;
    },

    async create(
      by: Actor,
      scope: Scope,
      details: WebhookDetails,
      given: { readonly signatureKey: string | undefined; readonly headers: Readonly<Record<string, string>> },
    ): Promise<{ readonly webhook: Webhook; readonly signatureKey: string }> {
      await refuseForbidden(details.hookUrl);
      const signatureKey = given.signatureKey ?? newSigningSecret();
      const sealed = sealSecrets(sealer, { keys: [{ secret: signatureKey }], headers: given.headers });
      const webhook = await store.addWebhook(by, scope, ({ names }) => {
        const made = newWebhook(scope, details, sealed, { by, now: clock.now(), names });
        return { change: made, announce: [], audit: [audited('webhook.create', undefined, made)] };
      });
      return { webhook, signatureKey };
    },

    async edit(
      by: Actor,
      scope: Scope,
      id: string,
      edit: WebhookEdit,
      headers: Readonly<Record<string, string>> | undefined,
    ): Promise<Webhook> {
      await refuseForbidden(edit.hookUrl);
      const changed = await changeOne(scope, id, by, (found, names) => {
        if (edit.name !== undefined) refuseSameName(edit.name, names, scope);
        const given = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
        const secrets = openSecrets(sealer, found.sealed);
        const sealed = headers === undefined ? found.sealed : sealSecrets(sealer, { ...secrets, headers });
        return put('webhook.edit', found, {
          ...found,
          ...given,
          sealed,
          modified: clock.now(),
          revision: found.revision + 1,
        });
      });
      return changed ?? Promise.reject(notFound(scope, id));
    },

    /** The new key signs at once, those before it for a day longer. */
    async rotateKey(by: Actor, scope: Scope, id: string, given: string | undefined): Promise<string> {
      const secret = given ?? newSigningSecret();
      await changeOne(scope, id, by, (found) => {
        const now = clock.now();
        const sealed = sealSecrets(sealer, rotated(openSecrets(sealer, found.sealed), secret, now));
        return put('webhook.rotateKey', found, { ...found, sealed, modified: now, revision: found.revision + 1 });
      });
      return secret;
    },

    async show(scope: Scope, id: string): Promise<WebhookShown> {
      const [found] = await shown([await read(scope, id)]);
      return found ?? Promise.reject(notFound(scope, id));
    },

    /** Of one scope or of all, oldest first. */
    list: async (scope: Scope | undefined, after: string | undefined, limit: number) =>
      shown(await store.webhooks(scope, after, limit)),

    activate,
    deactivate,
    remove,
    activateAll: (by: Actor, scope: Scope, pending: 'release' | 'discard') =>
      ofAll((who, where, id) => activate(who, where, id, pending))(by, scope),
    deactivateAll: ofAll(deactivate),
    removeAll: ofAll(remove),

    /** Sends a test event now, outside of the ledger, and tells what the receiver said. */
    async test(scope: Scope, id: string): Promise<AttemptOutcome & { readonly messageId: string }> {
      const { webhook } = await read(scope, id);
      const event: NewEvent = {
        id: newEventId(),
        scope,
        eventId: undefined,
        type: TEST_EVENT,
        at: clock.now(),
        payload: JSON.stringify({ webhookId: id, name: webhook.name }),
      };
      const timeoutMs = (await policy.read()).notificationTimeOutInSeconds * SECOND;
      const message = { id: event.id, attempt: 1, body: bodyOf(event, 0) };
      const outcome = await receiver.send(
        signedShipment(outgoing.open(webhook), message, { now: clock.now(), timeoutMs }),
      );
      return { ...outcome, messageId: event.id };
    },

    publish(scope: Scope, events: readonly SentEvent[]): Promise<readonly AcceptedEvent[]> {
      const at = clock.now();
      return accept(events.map((event) => ({ id: newEventId(), scope, at, ...event })));
    },

    async deliveries(scope: Scope, query: DeliveryQuery): Promise<readonly Delivery[]> {
      await read(scope, query.webhook);
      return store.deliveries(query);
    },

    async delivery(scope: Scope, webhook: string, id: number) {
      await read(scope, webhook);
      const found = await store.delivery(webhook, id);
      return found ?? Promise.reject(new StewardError('notFound', `There is no delivery ${id} of this webhook.`));
    },

    async redeliver(by: Actor, scope: Scope, webhook: string, id: number): Promise<void> {
      await read(scope, webhook);
      await store.redeliver(webhook, id, by, (found) => {
        if (found === undefined) throw new StewardError('notFound', `There is no delivery ${id} of this webhook.`);
        if (found.state === 'pending')
          throw new StewardError('conflict', `The delivery ${id} is still on its way; it is not sent twice.`);
        const note = { action: 'webhook.redeliver', target: `webhook ${webhook}`, after: { delivery: id } };
        return { change: 'again', announce: [], audit: [note] };
      });
      schedule.nudge();
    },

    /** With `dryRun` it only counts. */
    async redeliverAll(
      by: Actor,
      scope: Scope,
      webhook: string,
      since: number,
      dryRun: boolean,
    ): Promise<Job | number> {
      await read(scope, webhook);
      if (dryRun) return store.countFailed(webhook, since);
      return startRedelivery({ store, jobs, clock }, by, { webhook, since });
    },

    /** Removes what is past its time, a little at a time, so that deliveries never wait for it. */
    async keepHouse(signal: AbortSignal): Promise<void> {
      const before = clock.now() - needs.retentionDays * DAY;
      while (!signal.aborted && (await store.prune(before, PRUNED_AT_ONCE)))
        await clock.sleep(PAUSE_BETWEEN_PRUNES_MS, signal);
    },

    /** Seals all secrets with the newest master key. */
    resealAll: (): Promise<number> => store.resealWebhooks(sealer.reseal),

    /** The keys of every webhook at this address, for a receiver of our own. */
    async secretsAt(hookUrl: string): Promise<readonly string[]> {
      const found: string[] = [];
      for (let last: string | undefined; ;) {
        const page = await store.webhooks(undefined, last, PAGE);
        for (const { webhook } of page)
          if (webhook.hookUrl === hookUrl)
            found.push(...openSecrets(sealer, webhook.sealed).keys.map(({ secret }) => secret));
        last = page.at(-1)?.webhook.id;
        if (page.length < PAGE) return found;
      }
    },

    startCourier: (): Courier =>
      startCourier({
        store,
        receiver,
        outgoing,
        policy: policy.read,
        schedule,
        tally,
        clock,
        log,
        owner: newId(),
        pacePerSecond: needs.pacePerSecond,
      }),
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;
