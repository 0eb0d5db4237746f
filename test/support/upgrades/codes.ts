import type { MessageName } from '../../../src/upgrades/journal/messages.ts';
import { MESSAGES } from '../../../src/upgrades/journal/messages.ts';

const codes: Partial<Record<string, number>> = Object.fromEntries(
  Object.entries(MESSAGES).map(([name, { code }]) => [name, code]),
);

/** The code of each message by its name: tests name messages, only the table of messages has numbers. */
export const CODE = codes as Readonly<Record<MessageName, number>>;
