import { printable } from '../../foundation/printable.ts';
import type { OverviewAnswer } from '../../wire/answers/overviewAnswers.ts';
import { OVERVIEW } from '../../wire/answers/overviewAnswers.ts';
import { timeText } from '../output/values.ts';
import { answerOf } from '../remote/answerOf.ts';

function jobLine({ job }: OverviewAnswer): string {
  if (job === null) return 'none yet';
  const { done, total } = job.progress;
  const end = job.endedAt === null ? `${done} of ${total}` : timeText(job.endedAt);
  const left = job.incomplete === undefined ? '' : `, not complete (${job.incomplete.join('; ')})`;
  return `${job.kind} from ${job.from} to ${job.to}: ${job.state}${left}, ${end}`;
}

function driftLine({ drift }: OverviewAnswer): string {
  if (drift === null) return 'not known';
  return drift.length === 0 ? 'none' : drift.join(', ');
}

function deliveryLine({ deliveries, perMinute }: OverviewAnswer): string {
  const { accepted, delivered, pending, held, failed, discarded } = deliveries;
  const lastHour = perMinute.reduce((sum, minute) => sum + minute.delivered + minute.failed, 0);
  return `${accepted} accepted = ${delivered} delivered + ${pending} pending + ${held} held + ${failed} failed + ${discarded} discarded; ${lastHour} in the last hour`;
}

function webhookLine({ deliveries: { webhooks, inactive, unreadable } }: OverviewAnswer): string {
  const all = `${webhooks}, ${inactive} of them not active`;
  if (unreadable === 0) return all;
  return `${all}; NOTHING IS SENT for ${unreadable}: the server lacks the master key of their secrets (steward doctor says what to do)`;
}

/** Shows the state of everything on a few lines. */
export function overviewText(answer: unknown): string {
  const overview = answerOf(OVERVIEW, answer);
  const { mode, obstacles, oldestDueSeconds, nearDeactivation } = overview;
  const lines: readonly (readonly [string, string])[] = [
    ['version', overview.version],
    ['mode', mode.isReadOnly ? `read-only: ${mode.message}` : 'open for writes'],
    ['health', obstacles.length === 0 ? 'ready' : obstacles.join('; ')],
    ['services', String(overview.services)],
    ['webhooks', webhookLine(overview)],
    ['deliveries', deliveryLine(overview)],
    ['oldest due', `${oldestDueSeconds} s`],
    [
      'at risk',
      nearDeactivation.map(({ name, failures, allowed }) => `${name} (${failures} of ${allowed})`).join(', ') ||
        'no webhook',
    ],
    ['upgrade', jobLine(overview)],
    ['drift', driftLine(overview)],
  ];
  return lines.map(([label, value]) => `${label.padEnd(12)}${printable(value)}\n`).join('');
}
