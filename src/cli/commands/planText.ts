import { counted } from '../../foundation/text/counted.ts';
import { printable } from '../../foundation/text/printable.ts';
import type { PlanAnswer } from '../../wire/answers/upgradeAnswers.ts';
import { PLAN, UPGRADE_STATUS } from '../../wire/answers/upgradeAnswers.ts';
import { adviceLines } from './actionCommands.ts';
import { renderTable } from '../output/table.ts';
import { lineText, timeText } from '../output/values.ts';
import { hangingText, wrapText } from '../output/wrappedText.ts';
import { answerOf } from '../remote/typedCall.ts';
import { inCommands } from './commandWords.ts';

const MINUTE_MS = 60_000;

export function durationText(ms: number): string {
  return ms < MINUTE_MS ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / MINUTE_MS)} min`;
}

function columns(...titles: readonly string[]) {
  return titles.map((title, n) => ({ title, isNumber: false, isWhole: n === 0 }));
}

/** The checks that have passed are only counted. */
function checksText({ checks }: PlanAnswer, width: number | undefined): string {
  const others = checks.filter(({ verdict }) => verdict !== 'pass');
  const lines = others.map(({ name, verdict, text, todo, nextActions = [] }) =>
    [
      hangingText(`  ${verdict.toUpperCase()}  `, `${name}: ${inCommands(text)}`, width),
      todo === '' ? '' : hangingText(' '.repeat(8), inCommands(todo), width),
      adviceLines({ nextActions, alternatives: [] }, '        '),
    ].join(''),
  );
  return `Checks: ${checks.length - others.length} of ${checks.length} passed.\n${lines.join('')}`;
}

function objectsOf(objects: readonly string[]): string {
  return objects.length === 0 ? '' : counted(objects.length, 'object');
}

const MOST_FIELDS = 8;

function shownValue(value: string | null): string {
  return value === null ? '(absent)' : value === '' ? '(empty)' : value;
}

/** A value may consist of several lines. Its line breaks are shown, because they may be all that changes. */
function fieldText({ field, before, after }: NonNullable<PlanAnswer['objects']>[number]['fields'][number]): string {
  return printable(`${field}: ${shownValue(before)} → ${shownValue(after)}`);
}

/** What happens to each object, with its fields. Those that stay as they are, are counted. */
function objectsText({ objects = [] }: PlanAnswer, width: number | undefined): string {
  if (objects.length === 0) return '';
  const changed = objects.filter(({ action }) => action !== 'unchanged');
  const lines = changed.flatMap(({ object, action, fields, reasons, final }) => {
    const shown = action === 'create' ? [] : fields;
    const more = shown.length - MOST_FIELDS;
    const details = [
      ...reasons,
      ...(final === null ? [] : [`It cannot be undone: ${final}`]),
      ...shown.slice(0, MOST_FIELDS).map(fieldText),
      ...(more > 0 ? [`and ${counted(more, 'more field')}: steward upgrades plan --json shows them`] : []),
    ];
    return [
      hangingText(`  ${action.toUpperCase().padEnd(9)} `, lineText(object), width),
      ...details.map((detail) => hangingText(' '.repeat(12), detail, width)),
    ];
  });
  return `Objects: ${counted(changed.length, 'change')}, ${objects.length - changed.length} as they are.\n${lines.join('')}`;
}

/** The steps, with a line where they can no longer be undone. */
function stepsText({ steps, pointOfNoReturn }: PlanAnswer, width: number | undefined): string {
  const rows = steps.map(({ step, title, canBeUndone, estimateMs, waves, objects = [] }) => [
    step === pointOfNoReturn ? `! ${step}` : `  ${step}`,
    lineText(title),
    waves === undefined ? objectsOf(objects) : counted(waves.flat().length, 'workload'),
    durationText(estimateMs),
    canBeUndone ? 'yes' : 'no',
  ]);
  return renderTable(columns('  STEP', 'WHAT', 'CHANGES', 'ABOUT', 'CAN BE UNDONE'), rows, width);
}

export function planText(answer: unknown, width: number | undefined): string {
  const plan = answerOf(PLAN, answer);
  const { from, to, simulated, pointOfNoReturn, estimate, canStart, checks } = plan;
  // Such a check is there only if the deployment does not tell what it runs.
  const isKnown = !checks.some(({ name }) => name === 'deployment');
  const sentence = (text: string): string => `${wrapText(text, width)}\n`;
  const outlook = [
    sentence(
      `It takes about ${durationText(estimate.totalMs)}, of which ${durationText(estimate.readOnlyMs)} in read-only mode.`,
    ),
    sentence(
      pointOfNoReturn === null
        ? 'Every step can be undone.'
        : `From the step ${pointOfNoReturn} on (!) it cannot be undone.`,
    ),
  ];
  return [
    sentence(`Upgrade from ${from} to ${to}${simulated ? ' of the simulated deployment' : ''}`),
    checksText(plan, width),
    ...(isKnown
      ? [objectsText(plan, width), stepsText(plan, width), ...outlook]
      : [sentence('The steps are not known.')]),
    sentence(canStart ? 'It can start.' : 'It cannot start until the failed checks pass.'),
  ].join('');
}

/** Of a status that a person reads. */
export const LAST_MESSAGES = 10;

export function upgradeStatusText(answer: unknown, width?: number): string {
  const { status, job } = answerOf(UPGRADE_STATUS, answer);
  const { state, messages } = status;
  if (job === undefined) return 'There was no upgrade yet. steward upgrades available lists the versions.\n';
  const head = `${job.kind} from ${job.from} to ${job.to}: ${state.replaceAll('_', ' ')}, ${job.progress.done} of ${job.progress.total} (${job.id})\n`;
  const last = messages.slice(-LAST_MESSAGES);
  const left = messages.length - last.length;
  const more = left === 0 ? '' : `${counted(left, 'earlier message')}: steward jobs messages ${job.id}\n`;
  const advice = job.failure === null ? '' : adviceLines(job.failure);
  const next = advice === '' ? '' : `Next:\n${advice}`;
  return (
    wrapText(head, width) +
    more +
    last.map(({ code, message, when }) => hangingText(`${timeText(when)}  ${code}  `, message, width)).join('') +
    next
  );
}
