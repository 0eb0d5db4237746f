import type { OverviewAnswer } from '../../wire/answers/overviewAnswers.ts';
import { OVERVIEW } from '../../wire/answers/overviewAnswers.ts';
import { adviceLines } from './actionCommands.ts';
import { lineText, timeText } from '../output/values.ts';
import { hangingText } from '../output/wrappedText.ts';
import { answerOf } from '../remote/typedCall.ts';

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

/** What needs a person, each with the commands that help. */
function attentionText({ attention, attentionMore }: OverviewAnswer, width: number | undefined): string {
  if (attention.length === 0) return 'Nothing needs attention.\n';
  const items = attention.map((item) => {
    const since = item.since === null ? '' : ` (since ${timeText(item.since)})`;
    return (
      hangingText(`${item.severity.toUpperCase()}  `, `${lineText(item.cause)}${since}`, width) +
      adviceLines(item, '    ')
    );
  });
  const more = attentionMore === 0 ? '' : `and ${attentionMore} more\n`;
  return `Needs attention:\n${items.join('')}${more}`;
}

/** Shows the state of everything on a few lines. */
export function overviewText(answer: unknown, width?: number): string {
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
  const state = lines.map(([label, value]) => hangingText(label.padEnd(12), lineText(value), width)).join('');
  return `${state}${attentionText(overview, width)}`;
}
