import { SYSTEM } from '../../model/serviceKey.ts';
import type { AnnouncementRules } from '../ports/acceptance.ts';
import { audienceOfAnnouncement } from './audience.ts';
import { bodyOf, newEvent } from './event.ts';

/** How Steward's own events are accepted. */
export const ANNOUNCEMENT_RULES: AnnouncementRules = {
  eventOf: ({ type, service, data }, at) => newEvent(service ?? SYSTEM, type, data, at),
  bodyOf,
  audience: audienceOfAnnouncement,
};
