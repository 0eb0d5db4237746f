/** Bodies of the answers about the demo receiver. */
import { flag, integer, list, nullable, object, optional, text, time } from '../../foundation/schema/shape.ts';
import { namedObject, success } from './commonAnswers.ts';

export const MAX_ARRIVALS_SHOWN = 50;

const SUMMARY_FIELDS = {
  name: text(),
  path: text('The path of the box at the demo receiver.'),
  behaviour: object({
    answer: text('How it answers: a status from 200 to 599, slow or never.'),
    seconds: optional(integer('How long it waits, if it is slow.')),
  }),
  received: integer(),
  distinctIds: integer('How many different webhook-ids were received.'),
  verified: integer('How many had a valid signature.'),
  repeats: integer('How many had a webhook-id that was received before.'),
};
const SUMMARY = namedObject('DemoInboxSummary', SUMMARY_FIELDS);

const ARRIVAL = namedObject('DemoArrival', {
  at: time('When it arrived.'),
  id: nullable(text('The webhook-id.')),
  type: nullable(text('The type of the event.')),
  attempt: nullable(integer()),
  verified: flag('Whether the signature is valid.'),
  problem: nullable(text('Why it could not be verified.')),
  repeat: flag('Whether this webhook-id was received before.'),
  answered: nullable(integer('The status. Null until the answer is sent.')),
  body: text('At most 4 KiB of it.'),
});

export const DEMO_INBOX = namedObject('DemoInbox', {
  url: text('The address of the demo receiver.'),
  ...SUMMARY_FIELDS,
  deliveries: list(ARRIVAL, `At most ${MAX_ARRIVALS_SHOWN}, newest first.`),
});

export const DEMO_RECEIVER = object({ url: text('The address of the demo receiver.'), boxes: list(SUMMARY) });
export const CHANGED_DEMO_INBOX = success({ box: SUMMARY });
