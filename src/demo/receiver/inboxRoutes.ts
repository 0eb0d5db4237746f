// The demo receiver below {root}/demo, for the console: a page may read only from the server that it came from.
import type { Handlers } from '../../http/server/handler.ts';
import { done } from '../../http/server/handler.ts';
import type { Route } from '../../http/server/route.ts';
import { bind } from '../../http/server/route.ts';
import * as answers from '../../wire/answers/demoReceiverAnswers.ts';
import { ANSWER_CHOICES } from '../../wire/documents/receiverAnswer.ts';
import * as field from '../../wire/fields/fields.ts';
import { operations } from '../../wire/operations/operations.ts';
import type { DemoReceiver } from './demoReceiver.ts';
import type { Arrival } from './inbox.ts';
import { newInbox, readBehaviour, summaryOf } from './inbox.ts';

const MAX_NAME_LENGTH = 100;

const publishers = { role: 'publisher', closedWhen: 'never' } as const;
const name = field.required(field.text(MAX_NAME_LENGTH), 'The name of the box, as in /receive/<name>.');

export const inboxOperations = operations({
  receiver: {
    ...publishers,
    kind: 'resource',
    answer: answers.DEMO_RECEIVER,
    path: '/demo/receiver',
    description: 'Returns the address of the demo receiver and its boxes.',
    fields: {},
  },
  inbox: {
    ...publishers,
    kind: 'resource',
    answer: answers.DEMO_INBOX,
    path: '/demo/receiver/inbox',
    description: 'Returns one box of the demo receiver with the deliveries that it received.',
    fields: { name },
  },
  behave: {
    ...publishers,
    kind: 'operation',
    answer: answers.CHANGED_DEMO_INBOX,
    path: '/demo/receiver/behave',
    description: 'Sets how a box of the demo receiver answers.',
    fields: {
      name,
      answer: field.required(field.text(10), `How it answers: ${ANSWER_CHOICES}.`),
      seconds: field.optional(field.integer(0, 3600), 'With slow: the seconds before it answers 200. Default 30.'),
    },
  },
  clear: {
    ...publishers,
    kind: 'operation',
    answer: answers.CHANGED_DEMO_INBOX,
    path: '/demo/receiver/clear',
    description: 'Removes the deliveries of a box of the demo receiver. The box answers 200 again.',
    fields: { name },
  },
});

function arrivalView({ at, ...arrival }: Arrival) {
  return { at: Date.parse(at), ...arrival };
}

type Inboxed = Pick<DemoReceiver, 'url' | 'inboxes'>;

function inboxHandlers({ url, inboxes }: Inboxed): Handlers<typeof inboxOperations> {
  return {
    receiver: () => ({ body: { url, boxes: [...inboxes.byName].map(([box, inbox]) => summaryOf(box, inbox)) } }),

    inbox({ fields }) {
      const inbox = inboxes.byName.get(fields.name) ?? newInbox();
      const deliveries = inbox.deliveries.slice(0, answers.MAX_ARRIVALS_SHOWN).map(arrivalView);
      return { body: { url, ...summaryOf(fields.name, inbox), deliveries } };
    },

    behave({ fields }) {
      const { answer, seconds } = fields;
      const behaviour = readBehaviour({ answer, seconds: seconds === undefined ? undefined : String(seconds) });
      const inbox = inboxes.open(fields.name);
      inbox.answer = behaviour;
      return done({ box: summaryOf(fields.name, inbox) });
    },

    clear({ fields }) {
      inboxes.byName.delete(fields.name);
      return done({ box: summaryOf(fields.name, newInbox()) });
    },
  };
}

/** Returns the routes below `{root}/demo/receiver`. Only a server with a demo receiver has them. */
export function inboxRoutes(receiver: Inboxed): readonly Route[] {
  return bind(inboxOperations, inboxHandlers(receiver));
}
