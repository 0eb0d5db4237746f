/**
 *               ┌─▶ delivered ─┐
 *   ┌─▶ pending ┼─▶ failed ────┼─▶ pending (requeue)
 *   └─ retry ─┘ └─▶ discarded ─┘
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Every change of a delivery's state. The store builds its conditions from this table, so no other change is possible. */
export const DELIVERY_TRANSITIONS = {
  retry: { from: ['pending'], to: 'pending' },
  deliver: { from: ['pending'], to: 'delivered' },
  fail: { from: ['pending'], to: 'failed' },
  discard: { from: ['pending'], to: 'discarded' },
  requeue: { from: ['delivered', 'failed', 'discarded'], to: 'pending' },
} as const satisfies Record<string, { readonly from: readonly DeliveryState[]; readonly to: DeliveryState }>;

export type DeliveryTransition = keyof typeof DELIVERY_TRANSITIONS;
