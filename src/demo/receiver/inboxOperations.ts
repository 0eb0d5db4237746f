// The operations on the demo receiver. Only a server that runs one has them.
import * as answers from '../../wire/answers/demoReceiverAnswers.ts';
import { ANSWER_CHOICES } from '../../wire/documents/receiverAnswer.ts';
import * as field from '../../wire/fields/fields.ts';
import { operations } from '../../wire/operations/operations.ts';

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
