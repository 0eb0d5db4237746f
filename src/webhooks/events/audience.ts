import type { Announcement } from '../../model/decision.ts';
import type { NewEvent, Subscriber } from '../ports/acceptance.ts';

function hears({ changeTypes }: Subscriber, type: string): boolean {
  return changeTypes.includes('*') || changeTypes.includes(type);
}

/** Selects the webhooks that get an event, from the webhooks of its scope. */
export function audienceOfEvent({ type }: NewEvent, ofScope: readonly Subscriber[]): readonly Subscriber[] {
  return ofScope.filter((one) => hears(one, type));
}

/**
 * Selects the webhooks that get an announcement, from those of its service and of the system. A webhook does not hear of
 * itself, nor of anything before its creation. A webhook of a service hears of other webhooks only if it names the event
 * type: otherwise one dead host would deactivate all webhooks that point to it.
 */
export function audienceOfAnnouncement(
  { data }: Announcement,
  { type, at }: NewEvent,
  ofService: readonly Subscriber[],
  ofSystem: readonly Subscriber[],
): readonly Subscriber[] {
  const isAboutWebhook = type.startsWith('webhook.');
  const own = ofService.filter(({ changeTypes }) => !isAboutWebhook || changeTypes.includes(type));
  return [...own, ...ofSystem].filter((one) => hears(one, type) && one.id !== data['webhookId'] && one.created <= at);
}
