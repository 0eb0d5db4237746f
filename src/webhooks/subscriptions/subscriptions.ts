// The webhooks themselves: create, edit, activate, deactivate, remove. Every change is a decision on the row that the store has
// locked; the rules about one webhook are in webhook.ts, those about its keys in secrets.ts.
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { StewardError } from '../../foundation/errors.ts';
import { invalidField, noSuchId } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import { silentDecision } from '../../model/decision.ts';
import type { NewValues } from '../../model/entity/field.ts';
import type { WEBHOOK } from '../../model/entity/webhook.ts';
import type { Scope } from '../../model/serviceKey.ts';
import { scopeInWords } from '../../model/serviceKey.ts';
import type { WebhookHealth } from '../../model/webhookHealth.ts';
import type { FailureWindow } from '../policy/failureWindow.ts';
import { windowAt } from '../policy/failureWindow.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { Receiver } from '../ports/receiver.ts';
import type { Webhook, WebhookChange, WebhookStore, WebhookWithLedger } from '../ports/webhookStore.ts';
import { healthOf } from './health.ts';
import type { Secrets } from './secrets.ts';
import { newSigningSecret, rotateKey, sealSecrets, unsealSecrets } from './secrets.ts';
import {
  activated,
  auditNote,
  changed,
  deactivated,
  deactivatedBy,
  deactivation,
  logDeactivation,
  newWebhook,
  refuseSameName,
} from './webhook.ts';
import type { OriginChange, WebhookEdit } from './webhookEdit.ts';
import { edited, ownedFields, refuseOtherThanOwner } from './webhookEdit.ts';

const DISCARD_BATCH = 500;
const PAGE_SIZE = 100;
/** A replica that is alive cuts the requests of a removed webhook within a second. */
const WITHDRAWN_WITHIN_MS = 3 * SECOND;
const LOOK_AGAIN_MS = 20;

/** A webhook with its status, without its secrets. */
export interface WebhookSummary extends WebhookWithLedger {
  readonly window: FailureWindow | undefined;
  /** The time of this summary. */
  readonly now: number;
  readonly health: WebhookHealth;
  /** The values of custom headers may be secret, so only the names are shown. Undefined if they cannot be read. */
  readonly headerNames: readonly string[] | undefined;
}

interface ChangedWebhook {
  readonly before: Webhook | undefined;
  /** Undefined if it was removed. */
  readonly after: Webhook | undefined;
}

export interface SubscriptionDependencies {
  readonly store: WebhookStore;
  readonly receiver: Receiver;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: () => Promise<DeliveryPolicy>;
  /** Tells the courier that deliveries may have become due. */
  readonly wake: () => void;
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.folder === b.folder && a.name === b.name && a.type === b.type;
}

function put(action: string, before: Webhook, webhook: Webhook, more: { readonly paceRelease?: true } = {}) {
  const change: WebhookChange = { kind: 'put', webhook, ...more };
  return silentDecision(change, auditNote(action, before, webhook));
}

const NO_CHANGE: Decision<WebhookChange> = silentDecision({ kind: 'none' });

function activation(found: Webhook, now: number): Decision<WebhookChange> {
  if (found.active) return NO_CHANGE;
  return put('webhook.activate', found, activated(found, now), { paceRelease: true });
}

function deactivationBy({ name }: Actor, found: Webhook, now: number): Decision<WebhookChange> {
  if (!found.active) return NO_CHANGE;
  const ended = deactivated(found, deactivatedBy(name), now);
  return { ...put('webhook.deactivate', found, ended), announce: [deactivation(ended)] };
}

/** Two decisions in one: the second is about the webhook that the first one leaves. */
function andThen(
  found: Webhook,
  first: Decision<WebhookChange>,
  next: (left: Webhook) => Decision<WebhookChange>,
): Decision<WebhookChange> {
  const second = next(first.change.kind === 'put' ? first.change.webhook : found);
  return {
    change: second.change.kind === 'none' ? first.change : second.change,
    announce: [...first.announce, ...second.announce],
    audit: [...first.audit, ...second.audit],
  };
}

function notFound(scope: Scope, id: string): StewardError {
  return noSuchId(`webhook of ${scopeInWords(scope)}`, id);
}

/** A name server inside a network would tell a publisher its addresses, so only administrators learn them. */
async function refuseForbidden(receiver: Receiver, hookUrl: string, { role }: Pick<Actor, 'role'>): Promise<void> {
  const problem = await receiver.problemWith(hookUrl, role === 'administrator');
  if (problem !== undefined) throw invalidField('hookUrl', problem);
}

/** A webhook whose master key is missing must stay visible, so that it can be found and repaired. */
function headerNamesOf(sealer: Sealer, { sealed }: Webhook): readonly string[] | undefined {
  try {
    return Object.keys(unsealSecrets(sealer, sealed).headers);
  } catch {
    return undefined;
  }
}

export function createSubscriptions(dependencies: SubscriptionDependencies) {
  const { store, receiver, sealer, clock, wake } = dependencies;

  async function read(scope: Scope, id: string): Promise<WebhookWithLedger> {
    const found = await store.webhook(id);
    if (found === undefined || !sameScope(found.webhook.scope, scope)) throw notFound(scope, id);
    return found;
  }

  function summary(found: WebhookWithLedger, policy: DeliveryPolicy): WebhookSummary {
    const now = clock.now();
    const window = windowAt(found.webhook.failures, policy, now);
    const headerNames = headerNamesOf(sealer, found.webhook);
    return { ...found, window, now, headerNames, health: healthOf(found, headerNames !== undefined) };
  }

  /** Changes a webhook of this scope. `decide` gets it as the store has locked it. */
  async function changeOne(
    scope: Scope,
    id: string,
    by: Actor,
    decide: (found: Webhook, names: readonly string[]) => Decision<WebhookChange>,
  ): Promise<ChangedWebhook> {
    let before: Webhook | undefined;
    const after = await store.changeWebhook(id, by, ({ found, names }) => {
      if (found === undefined || !sameScope(found.scope, scope)) throw notFound(scope, id);
      before = found;
      return decide(found, names);
    });
    return { before, after };
  }

  function logIfEnded({ before, after }: ChangedWebhook): void {
    if (before?.active === true && after?.active === false) logDeactivation(dependencies.log, after);
  }

  async function* each(scope: Scope | 'all'): AsyncGenerator<Webhook> {
    for (let last: string | undefined; ;) {
      const page = await store.webhooks(scope, last, PAGE_SIZE);
      for (const { webhook } of page) yield webhook;
      last = page.at(-1)?.webhook.id;
      if (page.length < PAGE_SIZE) return;
    }
  }

  async function activate(by: Actor, scope: Scope, id: string, pending: 'release' | 'discard'): Promise<void> {
    const { webhook } = await read(scope, id);
    if (webhook.active) return;
    // In small transactions while the webhook is still inactive: a large backlog must not block other work.
    if (pending === 'discard') while ((await store.discardPending(id, DISCARD_BATCH)) > 0);
    await changeOne(scope, id, by, (found) => activation(found, clock.now()));
    wake();
  }

  async function deactivate(by: Actor, scope: Scope, id: string): Promise<void> {
    logIfEnded(await changeOne(scope, id, by, (found) => deactivationBy(by, found, clock.now())));
  }

  /** Removing a webhook cuts its requests on every replica. Waits for that a while, and returns how many may still arrive. */
  async function untilWithdrawn(ids: readonly string[]): Promise<number> {
    const giveUpAt = clock.now() + WITHDRAWN_WITHIN_MS;
    // With replicas it waits before the first look too: a claim is not counted before it has ended.
    for (let waits = !store.isInProcess; ; waits = true) {
      if (waits) await clock.sleep(LOOK_AGAIN_MS);
      const left = await store.countClaimed(ids);
      if (left === 0 || clock.now() >= giveUpAt) return left;
    }
  }

  async function remove(by: Actor, scope: Scope, id: string): Promise<void> {
    await changeOne(scope, id, by, (found) =>
      silentDecision({ kind: 'remove' }, auditNote('webhook.delete', found, undefined)),
    );
  }

  function forAll<More extends readonly unknown[]>(
    act: (by: Actor, scope: Scope, id: string, ...more: More) => Promise<void>,
  ) {
    return async (by: Actor, scope: Scope, ...more: More): Promise<readonly string[]> => {
      // All ids are read first, because an act may shift the pages.
      const ids: string[] = [];
      for await (const { id } of each(scope)) ids.push(id);
      for (const id of ids) await act(by, scope, id, ...more);
      return ids;
    };
  }

  return {
    read,
    summary,

    /** Creates a webhook. Returns its signing key, which cannot be read later. */
    async create(
      by: Actor,
      scope: Scope,
      details: NewValues<typeof WEBHOOK>,
      given: { readonly signatureKey: string | undefined; readonly headers: Secrets['headers'] },
    ): Promise<{ readonly webhook: Webhook; readonly signatureKey: string }> {
      await refuseForbidden(receiver, details.hookUrl, by);
      const signatureKey = given.signatureKey ?? newSigningSecret();
      const sealed = sealSecrets(sealer, { keys: [{ secret: signatureKey }], headers: given.headers });
      const webhook = await store.addWebhook(by, scope, ({ names }) => {
        const created = newWebhook(scope, details, sealed, { by, now: clock.now(), names });
        return silentDecision(created, auditNote('webhook.create', undefined, created));
      });
      return { webhook, signatureKey };
    },

    /** Changes the given fields at once. Returns what happened to the secrets if the receiver has another origin. */
    async edit(by: Actor, scope: Scope, id: string, edit: WebhookEdit): Promise<OriginChange | undefined> {
      const { active } = edit;
      const { hookUrl, name } = edit.details;
      const { webhook } = await read(scope, id);
      // Before the look-up of the host name, which only the owner may cause.
      refuseOtherThanOwner(by, webhook, ownedFields(webhook, edit));
      if (hookUrl !== undefined) await refuseForbidden(receiver, hookUrl, by);
      let originChange: OriginChange | undefined;
      const changedOne = await changeOne(scope, id, by, (found, names) => {
        if (name !== undefined) refuseSameName(name, names, scope);
        const now = clock.now();
        const result = edited(sealer, found, edit, { by, now });
        originChange = result?.originChange;
        const first = result === undefined ? NO_CHANGE : put('webhook.edit', found, result.webhook);
        if (active === undefined) return first;
        return andThen(found, first, (left) => (active ? activation(left, now) : deactivationBy(by, left, now)));
      });
      logIfEnded(changedOne);
      if (active === true) wake();
      return originChange;
    },

    /** Replaces the signing key and returns the new one. The previous keys sign for one more day. */
    async rotateKey(by: Actor, scope: Scope, id: string, given: string | undefined): Promise<string> {
      const secret = given ?? newSigningSecret();
      await changeOne(scope, id, by, (found) => {
        refuseOtherThanOwner(by, found, ['signatureKey']);
        const now = clock.now();
        const sealed = sealSecrets(sealer, rotateKey(unsealSecrets(sealer, found.sealed), secret, now));
        return put('webhook.rotateKey', found, changed(found, { sealed }, now));
      });
      return secret;
    },

    show: async (scope: Scope, id: string) => summary(await read(scope, id), await dependencies.policy()),

    /** Lists the webhooks of one scope or of all services, oldest first. */
    async list(scope: Scope | 'services', after: string | undefined, limit: number) {
      const [found, policy] = [await store.webhooks(scope, after, limit), await dependencies.policy()];
      return found.map((one) => summary(one, policy));
    },

    activate,
    deactivate,
    remove,
    activateAll: forAll(activate),
    deactivateAll: forAll(deactivate),
    removeAll: forAll(remove),
    untilWithdrawn,

    /** Encrypts all secrets with the newest master key. */
    resealAll: () => store.resealWebhooks(sealer.reseal),

    /** Returns the signing secrets of all webhooks with this URL, for Steward's own demo receiver. */
    async signingSecretsFor(hookUrl: string): Promise<readonly string[]> {
      const secrets: string[] = [];
      for await (const webhook of each('all'))
        if (webhook.hookUrl === hookUrl)
          secrets.push(...unsealSecrets(sealer, webhook.sealed).keys.map(({ secret }) => secret));
      return secrets;
    },
  };
}
