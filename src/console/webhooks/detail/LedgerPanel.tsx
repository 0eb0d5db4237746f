import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Panel } from '../../parts/layout/Panel.tsx';
import type { DeliveryState, Ledger } from '../answers.ts';
import { DELIVERY_STATES } from '../deliveries/deliveryStates.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { deliveriesLink } from '../webhookResource.ts';
import { numberText } from '../../parts/text/locale.ts';

const ORDER: readonly DeliveryState[] = ['delivered', 'pending', 'held', 'failed', 'discarded'];

/** Counts of all deliveries. Each is in one of the five states, so that the numbers add up. */
export function LedgerPanel({ of, ledger }: { readonly of: WebhookKey; readonly ledger: Ledger }) {
  return (
    <Panel title="Deliveries">
      <div className="meter" aria-hidden="true">
        {ORDER.filter((state) => ledger[state] > 0).map((state) => (
          <span key={state} data-tone={DELIVERY_STATES[state].tone} style={{ flexGrow: ledger[state] }} />
        ))}
      </div>
      <dl className="ledger">
        {ORDER.map((state, n) => (
          <div key={state}>
            <dt>
              {n > 0 && <span aria-hidden="true">+ </span>}
              <Anchor component={Link} href={deliveriesLink(of, { state })} size="sm" c="inherit">
                {DELIVERY_STATES[state].text}
              </Anchor>
            </dt>
            <dd>{numberText(ledger[state])}</dd>
          </div>
        ))}
        <div data-sum="true">
          <dt>
            <span aria-hidden="true">= </span>
            <Anchor component={Link} href={deliveriesLink(of)} size="sm" c="inherit">
              Accepted
            </Anchor>
          </dt>
          <dd>{numberText(ledger.accepted)}</dd>
        </div>
      </dl>
    </Panel>
  );
}
