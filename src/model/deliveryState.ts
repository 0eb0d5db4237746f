/**
 *               ┌─▶ delivered ─┐
 *   ┌─▶ pending ┼─▶ failed ────┼─▶ pending (requeue)
 *   └─ retry ─┘ └─▶ discarded ─┘
 *
 * A delivered one that is sent again is pending only inside the store: it counts and is shown as delivered throughout, and
 * becomes delivered again whatever the receiver answers (keep).
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Every change of a delivery's state. The store builds its conditions from this table, so no other change is possible. */
export const DELIVERY_TRANSITIONS = {
  retry: { from: ['pending'], to: 'pending' },
  deliver: { from: ['pending'], to: 'delivered' },
  fail: { from: ['pending'], to: 'failed' },
  discard: { from: ['pending'], to: 'discarded' },
  keep: { from: ['pending'], to: 'delivered' },
  requeue: { from: ['delivered', 'failed', 'discarded'], to: 'pending' },
} as const satisfies Record<string, { readonly from: readonly DeliveryState[]; readonly to: DeliveryState }>;

export type DeliveryTransition = keyof typeof DELIVERY_TRANSITIONS;

/** The state after a transition. A resend never takes back a delivery. */
export function stateAfter(transition: DeliveryTransition, resendOf: DeliveryState | undefined): DeliveryState {
  const { to } = DELIVERY_TRANSITIONS[transition];
  return resendOf === 'delivered' && to !== 'pending' ? DELIVERY_TRANSITIONS.keep.to : to;
}
