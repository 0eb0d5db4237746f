import type { Tone } from '../../parts/text/tone.ts';
import type { IconName } from '../../parts/text/Icon.tsx';
import type { DeliveryState } from '../answers.ts';

interface DeliveryStateLook {
  readonly text: string;
  readonly tone: Tone;
  readonly icon: IconName;
}

export const DELIVERY_STATES: Readonly<Record<DeliveryState, DeliveryStateLook>> = {
  delivered: { text: 'Delivered', tone: 'good', icon: 'check' },
  pending: { text: 'Pending', tone: 'busy', icon: 'clock' },
  held: { text: 'Held', tone: 'warn', icon: 'pause' },
  failed: { text: 'Failed', tone: 'bad', icon: 'cross' },
  discarded: { text: 'Discarded', tone: 'calm', icon: 'trash' },
};
