import { createHash } from 'node:crypto';
import { createBatcher } from '../../foundation/flow/batcher.ts';
import { createIdSequence } from '../../foundation/ids.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { Acceptance, NewEvent, RequestResult } from '../ports/acceptance.ts';
import type { WebhookStore } from '../ports/webhookStore.ts';
import type { createAcceptanceShare } from './acceptanceShare.ts';
import { audienceOfEvent } from './audience.ts';

/** Every event that Steward itself publishes. docs/events.md describes each. */
export const OWN_EVENTS = [
  'service.created',
  'service.changed',
  'service.started',
  'service.stopped',
  'service.deleted',
  'webhook.failing',
  'webhook.deactivated',
  'readOnly.entered',
  'readOnly.left',
  'upgrade.started',
  'upgrade.completed',
  'upgrade.failed',
] as const;

export const TEST_EVENT = 'webhook.test';

const nextId = createIdSequence();

/** A counter after a random prefix of this process: a random id for each event would cost more than storing the event. */
export function newEventId(): string {
  return `evt_${nextId().replace('-', '_')}`;
}

/**
 * The id of an event that has one of its sender. It is the same whenever the event is published, also after a restore that has
 * forgotten it, so that receivers recognise it; another installation makes another one.
 */
export function repeatableEventId(installation: string, { folder, name, type }: Scope, eventId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([installation, folder, name, type, eventId]))
    .digest('hex');
  return `evt_${BigInt(`0x${digest.slice(0, 40)}`).toString(36)}`;
}

/** The body that is signed and sent. The payload is inserted byte for byte as its sender wrote it. */
export function bodyOf({ type, at, payload, scope }: NewEvent, sequence: number): string {
  const timestamp = new Date(at).toISOString();
  const { folder, name, type: serviceType } = scope;
  const service = JSON.stringify({ folder, name, type: serviceType });
  return `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${payload},"service":${service},"sequence":${sequence}}`;
}

export function newEvent(scope: Scope, type: string, data: object, at: number): NewEvent {
  return { id: newEventId(), scope, eventId: undefined, type, at, payload: JSON.stringify(data) };
}

const MAX_EVENTS_PER_COMMIT = 100;

/**
 * Returns a function that stores events and their deliveries and resolves when they are durable. Calls are batched: events of
 * one service share a counter, and with one transaction for each call every sender would wait for all the others.
 */
export function createEventAcceptance(
  store: Pick<WebhookStore, 'accept'>,
  inTurn: ReturnType<typeof createAcceptanceShare>,
  onAccepted: (acceptance: Acceptance) => void,
) {
  return createBatcher<readonly NewEvent[], RequestResult>({
    weightOf: (events) => events.length,
    maxWeight: MAX_EVENTS_PER_COMMIT,
    async commit(calls) {
      const acceptance = await inTurn(() => store.accept(calls, { bodyOf, audience: audienceOfEvent }));
      onAccepted(acceptance);
      return acceptance.results;
    },
  });
}
