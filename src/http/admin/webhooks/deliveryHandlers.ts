import { StewardError } from '../../../foundation/errors.ts';
import type { DeliveryPolicy } from '../../../webhooks/policy/policy.ts';
import type { SentEvent } from '../../../wire/operations/webhookFields.ts';
import type { deliveryOperations } from '../../../wire/operations/webhookOperations.ts';
import type { Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import type { WebhookHandlerDependencies } from './webhookHandlers.ts';
import { PAGE, pageOf } from './webhookHandlers.ts';

interface EventFields {
  readonly event: string | undefined;
  readonly payload: string | undefined;
  readonly eventId: string | undefined;
  readonly events: readonly SentEvent[] | undefined;
}

/** Reads one event from its own fields, or many from `events`, but not both. */
function eventsOf({ event, payload, eventId, events }: EventFields): readonly SentEvent[] {
  const problems =
    events === undefined
      ? [
          ...(event === undefined ? ['event: is needed, unless events holds many'] : []),
          ...(payload === undefined ? ['payload: is needed with event; send null for nothing'] : []),
        ]
      : [event, payload, eventId].some((one) => one !== undefined)
        ? ['events: send either events, or event with payload and eventId']
        : [];
  if (problems.length > 0) throw new StewardError('invalid', 'The request has invalid fields.', { details: problems });
  return events ?? [{ type: event ?? '', payload: payload ?? 'null', eventId }];
}

/** The order of the fields is that of the interface. */
function policyView(policy: DeliveryPolicy) {
  const { notificationAttempts, notificationTimeOutInSeconds, notificationElapsedTimeInSeconds } = policy;
  const { daysInPast, numberOfFailures } = policy;
  return {
    notificationAttempts,
    notificationTimeOutInSeconds,
    notificationElapsedTimeInSeconds,
    daysInPast,
    numberOfFailures,
    status: 'success',
  };
}

export function deliveryHandlers(dependencies: WebhookHandlerDependencies): Handlers<typeof deliveryOperations> {
  const { webhooks, scopeOf, mustExist } = dependencies;
  return {
    async settings({ actor, fields, isChange }) {
      return { body: policyView(isChange ? await webhooks.changePolicy(actor, fields) : await webhooks.policy()) };
    },

    async preview({ fields: { daysInPast, numberOfFailures } }) {
      const rest = {
        notificationAttempts: undefined,
        notificationTimeOutInSeconds: undefined,
        notificationElapsedTimeInSeconds: undefined,
      };
      const found = await webhooks.preview({ ...rest, daysInPast, numberOfFailures });
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
      const accepted = await webhooks.publish(scope, sent);
      return done({
        events: accepted.map(({ id, eventId, sequence, deliveries, isRepeat }) => ({
          id,
          eventId: eventId ?? null,
          sequence,
          deliveries,
          repeat: isRepeat,
        })),
      });
    },
  };
}
