// The operations on the demo receiver. Only a server that runs one has them.
import * as answers from '../../wire/answers/demoReceiverAnswers.ts';
import { ANSWER_CHOICES } from '../../wire/documents/receiverAnswer.ts';
import * as field from '../../wire/fields/fields.ts';
import { operation, operations, resource } from '../../wire/operations/operations.ts';

const MAX_NAME_LENGTH = 100;

const name = field.required(field.text(MAX_NAME_LENGTH), 'The name of the box, as in /receive/<name>.');

export const inboxOperations = operations({
  receiver: {
    ...resource('publisher', 'never', answers.DEMO_RECEIVER),
    path: '/demo/receiver',
    description: 'Returns the address of the demo receiver and its boxes.',
  },
  inbox: {
    ...resource('publisher', 'never', answers.DEMO_INBOX),
    path: '/demo/receiver/inbox',
    description: 'Returns one box of the demo receiver with the deliveries that it received.',
    fields: { name },
  },
  behave: {
    ...operation('publisher', 'never', answers.CHANGED_DEMO_INBOX),
    path: '/demo/receiver/behave',
    description: 'Sets how a box of the demo receiver answers.',
    fields: {
      name,
      answer: field.required(field.text(10), `How it answers: ${ANSWER_CHOICES}.`),
      seconds: field.optional(field.integer(0, 3600), 'With slow: the seconds before it answers 200. Default 30.'),
    },
  },
  clear: {
    ...operation('publisher', 'never', answers.CHANGED_DEMO_INBOX),
    path: '/demo/receiver/clear',
    description: 'Removes the deliveries of a box of the demo receiver. The box answers 200 again.',
    fields: { name },
  },
});
