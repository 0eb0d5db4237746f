// The operations on webhooks and their deliveries. The same handlers serve the webhooks of a service and those of the system;
// the rules are in the webhooks area, the shapes of the answers in webhookView.ts.
import { StewardError, invalidField } from '../../../foundation/errors.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import type { Actor } from '../../../model/actor.ts';
import type { Scope } from '../../../model/serviceKey.ts';
import { mayChangeSecrets } from '../../../webhooks/subscriptions/webhookEdit.ts';
import type { WebhookSummary } from '../../../webhooks/subscriptions/subscriptions.ts';
import type { Webhooks } from '../../../webhooks/webhooks.ts';
import { noDelivery } from '../../../webhooks/delivery/redelivery.ts';
import type { serviceWebhookOperations } from '../../../wire/operations/webhookOperations.ts';
import type { Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import { NOT_SHOWN, attemptView, deliveryView, editedView, eventView, statusView, webhookView } from './webhookView.ts';

export const PAGE = 100;

type Path = Readonly<Record<string, string>>;

export interface WebhookHandlerDependencies {
  readonly webhooks: Webhooks;
  readonly scopeOf: (path: Path) => Scope;
  /** Throws if the service is not published. */
  readonly mustExist: (scope: Scope) => Promise<void>;
}

const idOf = (path: Path): string => path['id'] ?? '';

function deliveryOf(path: Path): number {
  const id = path['delivery'] ?? '';
  if (!/^[1-9]\d{0,15}$/.test(id)) throw noDelivery(id);
  return Number(id);
}

/** A webhook that was deleted has no owner any more. */
function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof StewardError) || error.code !== 'notFound') throw error;
}

export function pageOf(found: readonly WebhookSummary[], limit: number) {
  return { webhooks: found.map(webhookView), next: found.length < limit ? null : (found.at(-1)?.webhook.id ?? null) };
}

/** A dry run has counted only. */
function resendAnswer(started: Job | number) {
  return typeof started === 'number'
    ? done({ dryRun: true, deliveries: started })
    : done({ jobId: started.id, deliveries: started.total });
}

/** Makes the handlers for webhooks of services, or of the system; `scopeOf` is the only difference. */
export function webhookHandlers(dependencies: WebhookHandlerDependencies): Handlers<typeof serviceWebhookOperations> {
  const { webhooks, scopeOf, mustExist } = dependencies;
  const shown = async (path: Path) => webhookView(await webhooks.show(scopeOf(path), idOf(path)));
  const seesSecrets = async (actor: Actor, scope: Scope, id: string): Promise<boolean> =>
    actor.role === 'administrator' || mayChangeSecrets(actor, (await webhooks.show(scope, id)).webhook);

  return {
    async list({ path, fields: { after, num = PAGE } }) {
      const scope = scopeOf(path);
      const found = await webhooks.list(scope, after, num);
      // Webhooks outlive their service. Without webhooks, the service must exist for an empty list.
      if (found.length === 0) await mustExist(scope);
      return { body: pageOf(found, num) };
    },

    async create({ actor, path, fields }) {
      const scope = scopeOf(path);
      await mustExist(scope);
      const { signatureKey, headers = {} } = fields;
      const made = await webhooks.create(actor, scope, fields, { signatureKey, headers });
      const record = webhookView(await webhooks.show(scope, made.webhook.id));
      return done({ webhook: { ...record, signatureKey: made.signatureKey } });
    },

    async item({ path }) {
      return { body: await shown(path) };
    },

    async edit({ actor, path, fields }) {
      const { active, headers, signatureKey, ifRevision, payloadFormat: _, ...details } = fields;
      const scope = scopeOf(path);
      const originChange = await webhooks.edit(actor, scope, idOf(path), {
        details,
        active,
        headers,
        signatureKey,
        ifRevision,
      });
      const webhook = await shown(path);
      return done(originChange === undefined ? { webhook } : editedView(webhook, originChange));
    },

    async delete({ actor, path }) {
      const id = idOf(path);
      await webhooks.remove(actor, scopeOf(path), id);
      return done({ requestsUnderWay: await webhooks.untilWithdrawn([id]) });
    },

    async activate({ actor, path, fields }) {
      await webhooks.activate(actor, scopeOf(path), idOf(path), fields.pending ?? 'release');
      return done({ webhook: await shown(path) });
    },

    async deactivate({ actor, path }) {
      await webhooks.deactivate(actor, scopeOf(path), idOf(path));
      return done({ webhook: await shown(path) });
    },

    async activateAll({ actor, path, fields }) {
      const { length } = await webhooks.activateAll(actor, scopeOf(path), fields.pending ?? 'release');
      return done({ webhooks: length });
    },

    async deactivateAll({ actor, path }) {
      return done({ webhooks: (await webhooks.deactivateAll(actor, scopeOf(path))).length });
    },

    async deleteAll({ actor, path }) {
      const removed = await webhooks.removeAll(actor, scopeOf(path));
      return done({ webhooks: removed.length, requestsUnderWay: await webhooks.untilWithdrawn(removed) });
    },

    async test({ actor, path }) {
      const { messageId, kind, durationMs, answer, ...said } = await webhooks.test(scopeOf(path), idOf(path));
      const status = 'status' in said ? said.status : null;
      const reason = 'reason' in said ? said.reason : '';
      const delivered = kind === 'accepted';
      const sent = { webhookMessageId: messageId, delivered, outcome: kind, status, reason };
      const seen = (await seesSecrets(actor, scopeOf(path), idOf(path))) ? answer : NOT_SHOWN;
      return done({ delivered, test: { ...sent, durationMs: Math.round(durationMs), answer: seen } });
    },

    async rotateKey({ actor, path, fields }) {
      const signatureKey = await webhooks.rotateKey(actor, scopeOf(path), idOf(path), fields.signatureKey);
      return done({ signatureKey });
    },

    async notificationStatus({ path }) {
      return { body: statusView(await webhooks.show(scopeOf(path), idOf(path))) };
    },

    async deliveries({ path, fields }) {
      const { state, event: eventType, eventId, from, to, before, num = PAGE } = fields;
      const { webhookMessageId, 'webhook-id': header = webhookMessageId } = fields;
      const messageId = webhookMessageId ?? header;
      if (messageId !== header)
        throw invalidField('webhook-id', `${header} differs from webhookMessageId ${messageId}`);
      const query = { webhook: idOf(path), state, eventType, eventId, messageId, from, to, before, limit: num };
      const { deliveries, next } = await webhooks.deliveries(scopeOf(path), query);
      return { body: { deliveries: deliveries.map(deliveryView), next: next === undefined ? null : String(next) } };
    },

    async event({ actor, path }) {
      const scope = scopeOf(path);
      const view = eventView(await webhooks.event(scope, path['event'] ?? ''));
      const seen = await Promise.all(
        view.deliveries.map(({ webhookId }) => seesSecrets(actor, scope, webhookId).catch(ignoreDeleted)),
      );
      return { body: seen.includes(true) || !seen.includes(false) ? view : { ...view, body: NOT_SHOWN } };
    },

    async delivery({ actor, path }) {
      const scope = scopeOf(path);
      const { delivery, attempts, body } = await webhooks.delivery(scope, idOf(path), deliveryOf(path));
      const log = attempts.map(attemptView);
      if (await seesSecrets(actor, scope, idOf(path))) return { body: { ...deliveryView(delivery), log, body } };
      const masked = log.map((one) => ({ ...one, answer: one.answer === '' ? '' : NOT_SHOWN }));
      return { body: { ...deliveryView(delivery), log: masked, body: NOT_SHOWN } };
    },

    async redeliver({ actor, path }) {
      await webhooks.redeliver(actor, scopeOf(path), idOf(path), deliveryOf(path));
      const { delivery } = await webhooks.delivery(scopeOf(path), idOf(path), deliveryOf(path));
      return done({ delivery: deliveryView(delivery) });
    },

    async redeliverFailed({ actor, path, fields }) {
      const { since = 0, dryRun = false } = fields;
      return resendAnswer(await webhooks.redeliverAll(actor, scopeOf(path), idOf(path), since, dryRun));
    },

    async redeliverHeld({ actor, path, fields }) {
      const { since = 0, dryRun = false } = fields;
      return resendAnswer(await webhooks.redeliverHeld(actor, scopeOf(path), idOf(path), since, dryRun));
    },
  };
}
