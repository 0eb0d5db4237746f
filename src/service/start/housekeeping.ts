import { SECOND } from '../../foundation/clock.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Areas } from '../../http/server/routes.ts';
import type { StartContext } from './startContext.ts';

const HOUSEKEEPING_EVERY_MS = 30 * SECOND;

/** Starts the loop that removes expired data. When it stops, it writes when tokens were last used. */
export function startHousekeeping(
  { access, webhooks, uploads }: Areas,
  { clock, log, closeStack }: StartContext,
): void {
  const turn = async (signal: AbortSignal): Promise<void> => {
    await access.runHousekeeping(signal);
    await webhooks.runHousekeeping(signal);
    await uploads.runHousekeeping();
  };
  const loop = startLoop({ name: 'housekeeping', pauseMs: HOUSEKEEPING_EVERY_MS, clock, log, turn });
  closeStack.add('housekeeping', async () => {
    await loop.stop();
    await access.tokens.writeLastUses();
  });
}
