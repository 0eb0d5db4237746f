import pico from 'picocolors';
import type { ReceivedDelivery } from '../../wire/documents/receivedDelivery.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import { prettyLines } from './prettyJson.ts';

const MAX_LINES = 40;
const MAX_LINE_LENGTH = 2000;
/** Characters that move the cursor, change colours or the reading direction. A sender must not control our terminal. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  const shown = text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return shown.length > MAX_LINE_LENGTH ? `${shown.slice(0, MAX_LINE_LENGTH)}…` : shown;
}

export function timeOf(now: number): string {
  return new Date(now).toTimeString().slice(0, 8);
}

export function describeAnswer(answer: ReceiverAnswer): string {
  if (answer.kind === 'status') return String(answer.status);
  return answer.kind === 'slow' ? `200 after ${answer.seconds} s` : 'no answer';
}

function verdict({ check }: ReceivedDelivery): string {
  if (check === undefined) return pico.yellow('not verified');
  return check.problem === undefined ? pico.green('✓ verified') : pico.red(`✗ not verified: ${check.problem}`);
}

function bodyOf(text: string): readonly string[] {
  if (text === '') return [pico.dim('  (no body)')];
  const lines = prettyLines(text, MAX_LINES + 1);
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${printable(line)}`);
  return lines.length > MAX_LINES ? [...shown, pico.dim(`  … (only the first ${MAX_LINES} lines are shown)`)] : shown;
}

export interface DeliveryOutcome {
  readonly now: number;
  readonly answered: string;
  readonly isRepeat: boolean;
}

/** Formats one delivery for a person: the answer, the event type, the result of the check, and the body. */
export function deliveryBlock(delivery: ReceivedDelivery, { now, answered, isRepeat }: DeliveryOutcome): string {
  const isWrong = delivery.check?.problem !== undefined;
  const heading = `${answered}  ${printable(delivery.type ?? '(no type)')}`;
  const facts = [
    `webhook-id ${printable(delivery.id ?? '–')}`,
    `attempt ${printable(delivery.attempt ?? '–')}`,
    ...(isRepeat ? [pico.yellow('repeat')] : []),
    ...(delivery.path === '/' ? [] : [`to ${printable(delivery.path)}`]),
  ];
  return [
    `${pico.dim(timeOf(now))}  ${pico.bold(isWrong ? pico.red(heading) : heading)}  ${verdict(delivery)}`,
    `  ${facts.join('  ')}`,
    ...bodyOf(delivery.text),
    '',
    '',
  ].join('\n');
}
