import { invalidRequest } from '../../../foundation/errors.ts';
import type { FieldValues } from '../../../wire/fields/fields.ts';
import type { SentEvent } from '../../../wire/fields/webhookFields.ts';
import type { deliveryOperations } from '../../../wire/operations/webhookOperations.ts';
import type { Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import type { WebhookHandlerDependencies } from './webhookHandlers.ts';
import { PAGE, pageOf } from './webhookHandlers.ts';

type EventFields = FieldValues<typeof deliveryOperations.events.fields>;

/** Reads one event from its own fields, or many from `events`, but not both. */
function eventsOf({ event, payload, eventId, events }: EventFields): readonly SentEvent[] {
  const problems: string[] = [];
  if (events !== undefined) {
    if ((event ?? payload ?? eventId) !== undefined) problems.push('events: send either events, or event and payload');
  } else {
    if (event === undefined) problems.push('event: is required, unless events is sent');
    if (payload === undefined) problems.push('payload: is required with event; send null for an empty payload');
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return events ?? [{ type: event ?? '', payload: payload ?? 'null', eventId }];
}

export function deliveryHandlers(dependencies: WebhookHandlerDependencies): Handlers<typeof deliveryOperations> {
  const { webhooks, scopeOf, mustExist } = dependencies;
  return {
    async settings({ actor, fields, isChange }) {
      const policy = isChange ? await webhooks.changePolicy(actor, fields) : await webhooks.policy();
      return { body: { ...policy, status: 'success' } };
    },

    async preview({ fields }) {
      const found = await webhooks.preview(fields);
      const view = found.map(({ id, at, failures, webhook: { scope, name } }) => {
        const { folder: folderName, name: serviceName, type: serviceType } = scope;
        return { id, folderName, serviceName, serviceType, name, at, failures };
      });
      return { body: { wouldDeactivate: view } };
    },

    async all({ fields: { after, num = PAGE } }) {
      return { body: pageOf(await webhooks.list('services', after, num), num) };
    },

    async events({ path, fields }) {
      const scope = scopeOf(path);
      const sent = eventsOf(fields);
      await mustExist(scope);
      const accepted = await webhooks.publish(scope, sent, fields.events !== undefined);
      const view = accepted.map(({ id, eventId = null, sequence, deliveries, isRepeat: repeat }) => {
        return { id, eventId, sequence, deliveries, repeat };
      });
      return done({ events: view });
    },
  };
}
