import { SIGNED_IN } from '../wire/answers/accessAnswers.ts';
import { operation, operations } from '../wire/operations/operations.ts';

/** The one-click sign-in. Only a server that runs as a demo has it. */
export const demoSignInOperations = operations({
  login: {
    ...operation('anyone', 'never', SIGNED_IN),
    path: '/demo/login',
    signsIn: true,
    description: 'Signs a browser in as the administrator of the demo, from the machine that runs it.',
  },
});
