import type { Tone } from '../parts/text/tone.ts';
import type { WebhookHealth } from '../../model/webhookHealth.ts';
import type { Webhook } from '../api/answers.ts';
import type { IconName } from '../parts/text/Icon.tsx';
import type { LastAnswer } from './answers.ts';

export const HEALTH: Readonly<
  Record<WebhookHealth, { readonly text: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  healthy: { text: 'Healthy', tone: 'good', icon: 'check' },
  failing: { text: 'Failing', tone: 'warn', icon: 'warning' },
  deactivated: { text: 'Deactivated', tone: 'bad', icon: 'pause' },
  unreadable: { text: 'Secrets unreadable', tone: 'bad', icon: 'warning' },
  unused: { text: 'Unused', tone: 'calm', icon: 'dot' },
};

/** Why a webhook is deactivated. One that was created inactive has no reason of the server. */
export function deactivationReason({ active, deactivation }: Pick<Webhook, 'active' | 'deactivation'>): string {
  if (active) return '';
  return deactivation?.reason ?? 'It was created inactive.';
}

const OUTCOMES: Readonly<Record<string, string>> = {
  accepted: 'Accepted',
  refused: 'Refused',
  unreachable: 'Unreachable',
  notSent: 'Not sent',
};

function outcomeText(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome;
}

/** Such as `Refused, 500`. */
export function answerText({ outcome, status }: Pick<LastAnswer, 'outcome'> & { status?: number | null }): string {
  const word = outcomeText(outcome);
  return status === undefined || status === null ? word : `${word}, ${status}`;
}
