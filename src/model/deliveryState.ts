/**
 *               ┌─▶ delivered ─┐
 *   ┌─▶ pending ┼─▶ failed ────┼─▶ pending (requeue)
 *   └─ retry ─┘ └─▶ discarded ─┘
 *
 * A delivered one that is sent again is pending only inside the store: it counts and is shown as delivered throughout, and
 * becomes delivered again whatever the receiver answers (keep).
 *
 * A pending delivery of a deactivated webhook is held. It can be sent again (resendHeld); if that fails, it is held as before
 * (hold).
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Every change of a delivery's state. The store takes the states from this table; exactly the pending ones are in its queue. */
export const DELIVERY_TRANSITIONS = {
  retry: { from: ['pending'], to: 'pending' },
  deliver: { from: ['pending'], to: 'delivered' },
  fail: { from: ['pending'], to: 'failed' },
  discard: { from: ['pending'], to: 'discarded' },
  keep: { from: ['pending'], to: 'delivered' },
  resendHeld: { from: ['pending'], to: 'pending' },
  hold: { from: ['pending'], to: 'pending' },
  requeue: { from: ['delivered', 'failed', 'discarded'], to: 'pending' },
} as const satisfies Record<string, { readonly from: readonly DeliveryState[]; readonly to: DeliveryState }>;

export type DeliveryTransition = keyof typeof DELIVERY_TRANSITIONS;

/** The states from which a delivery can be sent again. */
export const RESENDABLE_STATES = ['held', 'delivered', 'failed', 'discarded'] as const;
export type ResendableState = (typeof RESENDABLE_STATES)[number];

/** The state after a transition. A resend never takes back a delivery, and never makes a held one fail. */
export function stateAfter(transition: DeliveryTransition, resendOf: ResendableState | undefined): DeliveryState {
  const { to } = DELIVERY_TRANSITIONS[transition];
  if (resendOf === 'delivered' && to !== 'pending') return DELIVERY_TRANSITIONS.keep.to;
  return resendOf === 'held' && to === 'failed' ? DELIVERY_TRANSITIONS.hold.to : to;
}
