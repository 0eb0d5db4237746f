import type { Announcement } from '../../model/decision.ts';
import type { Scope } from '../../model/serviceKey.ts';

/** An event before it is accepted. */
export interface NewEvent {
  readonly id: string;
  readonly scope: Scope;
  /** The id that the sender chose. With an id that was used before, the same event is a repeat and another one is refused. */
  readonly eventId: string | undefined;
  readonly type: string;
  readonly at: number;
  /** JSON text. */
  readonly payload: string;
}

export interface AcceptedEvent {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly sequence: number;
  readonly deliveries: number;
  readonly isRepeat: boolean;
}

/** A webhook, as far as it matters for the choice of who gets an event. */
export interface Subscriber {
  readonly number: number;
  readonly id: string;
  readonly changeTypes: readonly string[];
  readonly created: number;
}

/** An event whose sender id belongs to an earlier event with other content. */
export interface EventConflict {
  /** The place of the event among those of its request, from 0 on. */
  readonly entry: number;
  readonly eventId: string;
  /** The earlier event, and when it was accepted; undefined if it is another event of the same request. */
  readonly first: { readonly id: string; readonly at: number } | undefined;
}

/** A request is accepted as a whole, or not at all. */
export type RequestResult =
  | { readonly kind: 'accepted'; readonly events: readonly AcceptedEvent[] }
  | { readonly kind: 'conflict'; readonly conflict: EventConflict };

/** Rules that the store applies inside the transaction that accepts events. */
export interface AcceptRules {
  bodyOf(event: NewEvent, sequence: number): string;
  audience(event: NewEvent, ofScope: readonly Subscriber[]): readonly Subscriber[];
}

/** The same for announcements, which webhooks of the system hear too. */
export interface AnnouncementRules {
  eventOf(announcement: Announcement, at: number): NewEvent;
  bodyOf(event: NewEvent, sequence: number): string;
  audience(
    announcement: Announcement,
    event: NewEvent,
    ofService: readonly Subscriber[],
    ofSystem: readonly Subscriber[],
  ): readonly Subscriber[];
}

export interface Acceptance {
  /** In the order of the requests. */
  readonly results: readonly RequestResult[];
  /** The numbers of the webhooks that have a new delivery. */
  readonly dueWebhooks: readonly number[];
}
