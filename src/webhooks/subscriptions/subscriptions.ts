import type { Actor } from '../../model/actor.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Decision } from '../../model/decision.ts';
import { StewardError, invalidField } from '../../foundation/errors.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { FailureWindow } from '../policy/failureWindow.ts';
import { windowAt } from '../policy/failureWindow.ts';
import type { DeliveryPolicy } from '../policy/policy.ts';
import type { Receiver } from '../ports/receiver.ts';
import { newSigningSecret, openSecrets, rotated, sealSecrets } from './secrets.ts';
import type { WebhookDetails, WebhookEdit } from './webhook.ts';
import { activated, audited, deactivated, deactivation, newWebhook, refuseSameName } from './webhook.ts';
import { scopeInWords } from '../../model/serviceKey.ts';
import type { Webhook, WebhookChange, WebhookWithLedger, WebhookStore } from '../ports/webhookStore.ts';
import type { Scope } from '../../model/serviceKey.ts';

const DISCARDED_AT_ONCE = 500;
const PAGE = 100;

/** A webhook as a person sees it. */
export interface WebhookSummary extends WebhookWithLedger {
  readonly window: FailureWindow | undefined;
  /** Of its custom headers; their values may be secret. */
  readonly headerNames: readonly string[];
}

export interface SubscriptionDependencies {
  readonly store: WebhookStore;
  readonly receiver: Receiver;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly policy: () => Promise<DeliveryPolicy>;
  /** Something may be due that was not before. */
  readonly nudge: () => void;
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

function notFound(scope: Scope, id: string): StewardError {
  return new StewardError('notFound', `There is no webhook ${id} of ${scopeInWords(scope)}.`);
}

/** The webhooks themselves: made, changed, switched on and off. */
export function createSubscriptions(needs: SubscriptionDependencies) {
  const { store, receiver, sealer, clock } = needs;

  async function read(scope: Scope, id: string): Promise<WebhookWithLedger> {
    const found = await store.webhook(id);
    if (found === undefined || !sameScope(found.webhook.scope, scope)) throw notFound(scope, id);
    return found;
  }

  /** A secret whose key is missing must not hide the webhook: how else would one find it? */
  function headerNames({ sealed }: Webhook): readonly string[] {
    try {
      return Object.keys(openSecrets(sealer, sealed).headers);
    } catch {
      return ['(cannot be read: its master key is missing)'];
    }
  }

  async function shown(seen: readonly WebhookWithLedger[]): Promise<readonly WebhookSummary[]> {
    const current = await needs.policy();
    return seen.map((one) => ({
      ...one,
      window: windowAt(one.webhook.failures, current, clock.now()),
      headerNames: headerNames(one.webhook),
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

  async function* each(scope: Scope | 'all'): AsyncGenerator<Webhook> {
    for (let last: string | undefined; ;) {
      const page = await store.webhooks(scope, last, PAGE);
      for (const { webhook } of page) yield webhook;
      last = page.at(-1)?.webhook.id;
      if (page.length < PAGE) return;
    }
  }

  async function activate(by: Actor, scope: Scope, id: string, pending: 'release' | 'discard'): Promise<void> {
    const { webhook } = await read(scope, id);
    if (webhook.active) return;
    // Bit by bit, while it is still inactive: however many there are, nobody waits for them.
    if (pending === 'discard') while ((await store.discardPending(id, DISCARDED_AT_ONCE)) === DISCARDED_AT_ONCE);
    await changeOne(scope, id, by, (found) =>
      found.active ? NOTHING : put('webhook.activate', found, activated(found, clock.now()), { paceRelease: true }),
    );
    needs.nudge();
  }

  async function deactivate(by: Actor, scope: Scope, id: string): Promise<void> {
    await changeOne(scope, id, by, (found) => {
      if (!found.active) return NOTHING;
      const after = deactivated(found, `Deactivated by ${by.name}.`, clock.now());
      return { ...put('webhook.deactivate', found, after), announce: [deactivation(after)] };
    });
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
      // All of them first: what the verb does must not move the pages.
      const ids: string[] = [];
      for await (const { id } of each(scope)) ids.push(id);
      for (const id of ids) await verb(by, scope, id);
      return ids.length;
    };
  }

  return {
    read,

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

    async show(scope: Scope, id: string): Promise<WebhookSummary> {
      const [found] = await shown([await read(scope, id)]);
      return found ?? Promise.reject(notFound(scope, id));
    },

    /** Of one scope or of all services, oldest first. */
    list: async (scope: Scope | 'services', after: string | undefined, limit: number) =>
      shown(await store.webhooks(scope, after, limit)),

    activate,
    deactivate,
    remove,
    activateAll: (by: Actor, scope: Scope, pending: 'release' | 'discard') =>
      ofAll((who, where, id) => activate(who, where, id, pending))(by, scope),
    deactivateAll: ofAll(deactivate),
    removeAll: ofAll(remove),

    /** Seals all secrets with the newest master key. */
    resealAll: () => store.resealWebhooks(sealer.reseal),

    /** The keys of every webhook at this address, for a receiver of our own. */
    async signingSecretsFor(hookUrl: string): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const webhook of each('all'))
        if (webhook.hookUrl === hookUrl)
          found.push(...openSecrets(sealer, webhook.sealed).keys.map(({ secret }) => secret));
      return found;
    },
  };
}
