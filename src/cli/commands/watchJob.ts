// Follows a job: prints its messages as they come, shows its progress, reconnects if the connection is lost, and returns the
// outcome as an exit code. Ctrl+C ends the command and not the job.
import { parseJson, valueAt } from '../../foundation/schema/json.ts';
import type { JobAnswer } from '../../wire/answers/jobAnswers.ts';
import { at, templateOf } from '../../wire/client/call.ts';
import { jobOperations } from '../../wire/operations/jobOperations.ts';
import { adviceLines } from './actionCommands.ts';
import type { Progress } from '../output/progress.ts';
import { createProgress } from '../output/progress.ts';
import { lineText, textAt, timeText } from '../output/values.ts';
import { hangingText } from '../output/wrappedText.ts';
import type { ServerEvent } from '../remote/eventStream.ts';
import { readEvents } from '../remote/eventStream.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { callOperation } from '../remote/typedCall.ts';
import type { CommandRun } from './remoteCommand.ts';
import { record } from './views.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

function messageText(data: unknown, width: number | undefined): string {
  const when = valueAt(data, 'when');
  const code = textAt(data, 'code');
  const number = code === '' ? '' : `${code}  `;
  return hangingText(`${typeof when === 'number' ? timeText(when) : ''}  ${number}`, textAt(data, 'message'), width);
}

/** Prints one event. Returns true if the job has ended. */
function showEvent({ name, data }: ServerEvent, { streams, flags }: CommandRun, progress: Progress): boolean {
  const value = parseJson(data);
  if (name === 'end') return true;
  if (name === 'status') {
    const [finished, total] = [valueAt(value, 'progress', 'done'), valueAt(value, 'progress', 'total')];
    if (typeof finished === 'number' && typeof total === 'number' && total > 0)
      progress.update(finished, total, textAt(value, 'phase'));
    return false;
  }
  if (flags.json === true || flags.quiet === true) return false;
  progress.clear();
  streams.print(messageText(value, streams.width));
  return false;
}

/** Reads the stream to the end of the job, over as many connections as it takes. */
async function followMessages(
  run: CommandRun,
  id: string,
  after: number,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let [last, wait, isLost] = [after, FIRST_WAIT_MS, false];
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const stream = await run.connection.stream(at(templateOf(jobOperations.messages), { id }), last, signal);
      if (stream === undefined) return;
      if (isLost) run.streams.printError('The connection is back.\n');
      [wait, isLost, isFirst] = [FIRST_WAIT_MS, false, false];
      for await (const event of readEvents(stream)) {
        if (event.id !== undefined) last = event.id;
        if (showEvent(event, run, progress)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isServerGone =
        !(error instanceof CommandFailure) || error.exit === 'noServer' || error.exit === 'unavailable';
      if (isFirst || !isServerGone) throw error;
      progress.clear();
      if (!isLost)
        run.streams.printError('The connection to the server is lost. The job goes on; connecting again …\n');
      isLost = true;
    }
    await run.clock.sleep(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

const GOOD: ReadonlySet<string> = new Set(['success', 'done', 'succeeded', 'completed']);

export interface WatchOptions {
  /** The number of the last message that is not shown again. */
  readonly after?: number;
  /** The states that are a good outcome. */
  readonly good?: ReadonlySet<string>;
  /** The answer that began the watch. `--json` prints its fields too. */
  readonly answer?: unknown;
}

function outcomeLine(job: unknown, id: string): string {
  const part = (name: string) => lineText(textAt(job, name));
  const versions = part('to') === '' ? '' : ` from ${part('from')} to ${part('to')}`;
  const reason = part('reason') === '' ? '' : ` (${part('reason')})`;
  return `The ${part('kind')}${versions} has ended: ${part('state').replaceAll('_', ' ')}${reason}. steward jobs show ${id} has all its messages.\n`;
}

/** The commands that help after a job that did not succeed. */
function nextText({ failure }: JobAnswer): string {
  const advice = failure === null || failure === undefined ? '' : adviceLines(failure);
  return advice === '' ? '' : `Next:\n${advice}`;
}

/** Follows a job to its end. */
export async function watchJob(
  run: CommandRun,
  id: string,
  { after = 0, good = GOOD, answer }: WatchOptions = {},
): Promise<Exit> {
  const { streams, flags, clock, connection } = run;
  const ended = new AbortController();
  const isQuiet = flags.quiet === true || flags.json === true;
  const progress = createProgress({ streams, clock, isQuiet, amount: String });
  const interrupted = streams.stopped().then(() => ended.abort());
  await Promise.race([followMessages(run, id, after, progress, ended.signal), interrupted]);
  progress.end();
  if (ended.signal.aborted) {
    streams.printError(`The job goes on. Follow it again with steward jobs watch ${id}.\n`);
    return 'interrupted';
  }
  const job = await callOperation(connection, jobOperations.item, { names: { id } });
  const state = textAt(job, 'state');
  if (flags.json === true) run.print(record(), Object.assign({}, answer, job), jobOperations.item.answer);
  else if (flags.quiet !== true) streams.printError(outcomeLine(job, id) + nextText(job));
  return good.has(state) ? 'done' : 'badOutcome';
}
