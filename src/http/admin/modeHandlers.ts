import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { modeOperations } from '../../wire/operations/systemOperations.ts';
import type { Handlers } from '../server/handler.ts';
import { done } from '../server/handler.ts';

export function modeHandlers(mode: ReadOnlyMode): Handlers<typeof modeOperations> {
  return {
    async mode({ actor, fields, isChange }) {
      if (!isChange) {
        const { isReadOnly, message } = await mode.current();
        return { body: { isReadOnly, message } };
      }
      const { isReadOnly, message } = await mode.change(actor, fields);
      return done({ isReadOnly, message });
    },
  };
}
