import { StewardError, invalidRequest } from '../../foundation/errors.ts';
import type { EventConflict, NewEvent } from '../ports/acceptance.ts';
import { OWN_EVENTS, TEST_EVENT } from './event.ts';

/** These types are reserved: a client cannot publish them. */
function isOwnType(type: string): boolean {
  return type === TEST_EVENT || OWN_EVENTS.some((own) => own === type);
}

/** Names the field of an event, as the fields of a request do: an entry of `events` has its number, from 1 on. */
function fieldOf(name: string, entry: number, isOfMany: boolean): string {
  return isOfMany ? `events: entry ${entry + 1}: ${name}` : `${name}:`;
}

export function refuseOwnTypes(events: readonly Pick<NewEvent, 'type'>[], isOfMany: boolean): void {
  const details = events.flatMap(({ type }, entry) =>
    isOwnType(type)
      ? [`${fieldOf('event', entry, isOfMany)} ${type} is a type of Steward's own events; choose another one`]
      : [],
  );
  if (details.length > 0) throw invalidRequest(details);
}

/** The answer to an event whose `eventId` belongs to another event: the sender would lose it without noticing. */
export function otherContent({ entry, eventId, first }: EventConflict, isOfMany: boolean): StewardError {
  const other =
    first === undefined ? 'an earlier entry' : `${first.id}, accepted at ${new Date(first.at).toISOString()}`;
  const detail = `${fieldOf('eventId', entry, isOfMany)} ${eventId} belongs to ${other}, which has another type or payload`;
  return new StewardError(
    'conflict',
    `The eventId ${eventId} was used for another event. Nothing was accepted. Use a new eventId for each event.`,
    { details: [detail] },
  );
}
