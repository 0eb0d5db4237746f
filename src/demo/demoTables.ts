import { demoOperations } from './demoOperations.ts';
import { demoSignInOperations } from './demoSignInOperations.ts';
import { inboxOperations } from './receiver/inboxOperations.ts';

/** The operations below {root}/demo, by the area that the console names. */
export const DEMO_TABLES = {
  demo: demoOperations,
  demoSignIn: demoSignInOperations,
  demoReceiver: inboxOperations,
} as const;
