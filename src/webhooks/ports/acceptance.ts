import type { Announcement } from '../../model/decision.ts';
import type { Scope } from '../../model/serviceKey.ts';

/** An event before it is accepted. */
export interface NewEvent {
  readonly id: string;
  readonly scope: Scope;
  /** The id that the sender chose: an event with an id that was used before is not accepted again. */
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
  readonly events: readonly AcceptedEvent[];
  /** The numbers of the webhooks that have a new delivery. */
  readonly dueWebhooks: readonly number[];
}
