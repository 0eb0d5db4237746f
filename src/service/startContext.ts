import type { Clock } from '../foundation/clock.ts';
import type { CloseStack } from '../foundation/flow/closeStack.ts';
import type { Log } from '../foundation/log.ts';
import type { Settings } from './settings/settings.ts';

/** What almost every part of the start needs. What a part opens, it adds to the close stack. */
export interface StartContext {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly closeStack: CloseStack;
}
