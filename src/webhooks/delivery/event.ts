import { createIdSequence } from '../../foundation/ids.ts';
import type { Announcement } from '../../model/decision.ts';
import type { ContentType } from '../ports/webhookStore.ts';
import type { NewEvent } from '../ports/acceptance.ts';

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

/** The body that is signed and sent. The payload is inserted byte for byte as its sender wrote it. */
export function bodyOf({ type, at, payload, scope }: NewEvent, sequence: number): string {
  const timestamp = new Date(at).toISOString();
  const { folder, name, type: serviceType } = scope;
  const service = JSON.stringify({ folder, name, type: serviceType });
  return `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${payload},"service":${service},"sequence":${sequence}}`;
}

export function eventOfAnnouncement({ type, service, data }: Announcement, at: number): NewEvent {
  return {
    id: newEventId(),
    scope: service ?? { folder: '', name: '', type: '' },
    eventId: undefined,
    type,
    at,
    payload: JSON.stringify(data),
  };
}

/** Encodes a body in the content type of a webhook. */
export function encodeBody(body: string, contentType: ContentType): string {
  return contentType === 'application/json' ? body : `payload=${encodeURIComponent(body)}`;
}

/** These types are reserved: a client cannot publish them. */
export function isOwnType(type: string): boolean {
  return type === TEST_EVENT || OWN_EVENTS.some((own) => own === type);
}
