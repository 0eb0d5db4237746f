import { printable } from '../../foundation/printable.ts';
import type { PlanAnswer } from '../../wire/answers/upgradeAnswers.ts';
import { PLAN, UPGRADE_STATUS } from '../../wire/answers/upgradeAnswers.ts';
import { adviceLines } from './actionCommands.ts';
import { renderTable } from '../output/table.ts';
import { timeText } from '../output/values.ts';
import { answerOf } from '../remote/answerOf.ts';

const MINUTE_MS = 60_000;

export function durationText(ms: number): string {
  return ms < MINUTE_MS ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / MINUTE_MS)} min`;
}

function columns(...titles: readonly string[]) {
  return titles.map((title) => ({ title, isNumber: false }));
}

/** The checks that have passed are only counted. */
function checksText({ checks }: PlanAnswer): string {
  const others = checks.filter(({ verdict }) => verdict !== 'pass');
  const lines = others.map(({ name, verdict, text, todo, nextActions = [] }) =>
    [
      `  ${verdict.toUpperCase()}  ${name}: ${printable(text)}\n`,
      todo === '' ? '' : `        ${printable(todo)}\n`,
      adviceLines({ nextActions, alternatives: [] }, '        '),
    ].join(''),
  );
  return `Checks: ${checks.length - others.length} of ${checks.length} passed.\n${lines.join('')}`;
}

/** The steps, with a line where they can no longer be undone. */
function stepsText({ steps, pointOfNoReturn }: PlanAnswer, width: number | undefined): string {
  const rows = steps.map(({ step, title, canBeUndone, estimateMs, waves }) => [
    step === pointOfNoReturn ? `! ${step}` : `  ${step}`,
    printable(title),
    waves === undefined ? '' : `${waves.flat().length} workloads`,
    durationText(estimateMs),
    canBeUndone ? 'yes' : 'no',
  ]);
  return renderTable(columns('  STEP', 'WHAT', 'CHANGES', 'ABOUT', 'CAN BE UNDONE'), rows, width);
}

export function planText(answer: unknown, width: number | undefined): string {
  const plan = answerOf(PLAN, answer);
  const { from, to, simulated, pointOfNoReturn, estimate, canStart } = plan;
  return [
    `Upgrade from ${from} to ${to}${simulated ? ' of the simulated deployment' : ''}\n`,
    checksText(plan),
    stepsText(plan, width),
    `It takes about ${durationText(estimate.totalMs)}, of which ${durationText(estimate.readOnlyMs)} in read-only mode.\n`,
    pointOfNoReturn === null
      ? 'Every step can be undone.\n'
      : `From the step ${pointOfNoReturn} on (!) it cannot be undone.\n`,
    canStart ? 'It can start.\n' : 'It cannot start until the failed checks pass.\n',
  ].join('');
}

const LAST_MESSAGES = 10;

export function upgradeStatusText(answer: unknown): string {
  const { status, job } = answerOf(UPGRADE_STATUS, answer);
  const { state, messages } = status;
  if (job === undefined) return 'There was no upgrade yet. steward upgrades available lists the versions.\n';
  const head = `${job.kind} from ${job.from} to ${job.to}: ${state.replaceAll('_', ' ')}, ${job.progress.done} of ${job.progress.total} (${job.id})\n`;
  const last = messages.slice(-LAST_MESSAGES);
  const left = messages.length - last.length;
  const more = left === 0 ? '' : `${left} earlier messages: steward jobs messages ${job.id}\n`;
  const advice = job.failure === null ? '' : adviceLines(job.failure);
  const next = advice === '' ? '' : `Next:\n${advice}`;
  return (
    head +
    more +
    last.map(({ code, message, when }) => `${timeText(when)}  ${code}  ${printable(message)}\n`).join('') +
    next
  );
}
