import type { ModeArea } from '../upgrades/mode.ts';
import type { modeOperations } from '../wire/modeOperations.ts';
import type { Handlers } from './call.ts';
import { done } from './call.ts';

export function modeHandlers(mode: ModeArea): Handlers<typeof modeOperations> {
  return {
    async mode({ actor, fields, isChange }) {
      if (!isChange) {
        const { isReadOnly, message } = await mode.read();
        return { body: { isReadOnly, message } };
      }
      const { isReadOnly, message } = await mode.changeByHand(actor, fields);
      return done({ isReadOnly, message });
    },
  };
}
