import { SIGNED_IN } from '../wire/answers/accessAnswers.ts';
import { operations } from '../wire/operations/operations.ts';

/** The one-click sign-in. Only a server that runs as a demo has it. */
export const demoSignInOperations = operations({
  login: {
    kind: 'operation',
    answer: SIGNED_IN,
    path: '/demo/login',
    role: 'anyone',
    closedWhen: 'never',
    signsIn: true,
    description: 'Signs a browser in as the administrator of the demo, from the machine that runs it.',
    fields: {},
  },
});
