// Follows a job over its stream of events. The browser reconnects by itself and names the last message that it has; where it gives up,
// the stream is opened again, and messages that are known are left out by their numbers.
import { useEffect, useState } from 'react';
import { ApiFailure, addressOf, get } from '../../api/client.ts';
import { jobPath } from '../../api/paths.ts';
import type { Job, Message } from '../answers.ts';
import type { FollowedJob, NumberedMessage } from './followedJob.ts';
import { withMessages, withOutage, withReturn } from './followedJob.ts';
import { possibleControls } from './possibleControls.ts';

const NOTHING: FollowedJob = { job: undefined, messages: [], outages: [], isOver: false };
const [OPEN_AGAIN_MS, LOOK_AGAIN_MS] = [2000, 3000];
/** An upgrade sends fifty messages a second; to draw each of them would keep the page busy. */
const SHOW_AFTER_MS = 150;

function streamAddress(id: string): string {
  // Without a format, the server streams.
  return addressOf(`${jobPath(id)}/messages`).replace(/\?.*$/, '');
}

/** Whether somebody has retried a job that had failed. A server that does not answer is asked again. */
async function isRetried({ id, endedAt }: Job, signal: AbortSignal): Promise<boolean> {
  const job = await get<Job>(jobPath(id), {}, signal).catch(() => undefined);
  return job !== undefined && job.endedAt !== endedAt;
}

const REFUSED: ReadonlySet<number> = new Set([403, 404]);

/** Why the server refuses the job; undefined if it shows it, or does not answer. The stream itself does not tell. */
async function refusalOf(id: string, signal: AbortSignal): Promise<Error | undefined> {
  const error: unknown = await get(jobPath(id), {}, signal).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return error instanceof ApiFailure && REFUSED.has(error.status) ? error : undefined;
}

type Change = (change: (before: FollowedJob) => FollowedJob) => void;

function readMessage({ data, lastEventId }: MessageEvent<string>): NumberedMessage {
  return { ...(JSON.parse(data) as Message), number: Number(lastEventId) };
}

/** Opens the stream. What arrives is shown together, a few times a second. Returns the function that closes it. */
function follow(id: string, change: Change): () => void {
  const closed = new AbortController();
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let showTimer: ReturnType<typeof setTimeout> | undefined;
  const arrived: MessageEvent<string>[] = [];
  let job: Job | undefined;

  function show(): void {
    clearTimeout(showTimer);
    showTimer = undefined;
    const [latest, messages] = [job, arrived.splice(0).map(readMessage)];
    change((before) => withMessages({ ...before, job: latest }, messages));
  }

  function showSoon(): void {
    showTimer ??= setTimeout(show, SHOW_AFTER_MS);
  }

  async function openWhenRetried(failed: Job): Promise<void> {
    const goesOn = await isRetried(failed, closed.signal);
    if (closed.signal.aborted) return;
    if (goesOn) open();
    else timer = setTimeout(() => void openWhenRetried(failed), LOOK_AGAIN_MS);
  }

  async function openAgain(): Promise<void> {
    const refusal = await refusalOf(id, closed.signal);
    if (closed.signal.aborted) return;
    if (refusal === undefined) timer = setTimeout(open, OPEN_AGAIN_MS);
    else change((before) => ({ ...before, outages: [], refusal }));
  }

  function open(): void {
    source = new EventSource(streamAddress(id));
    source.addEventListener('open', () => change((before) => withReturn({ ...before, isOver: false }, Date.now())));
    source.addEventListener('message', (event: MessageEvent<string>) => {
      arrived.push(event);
      showSoon();
    });
    source.addEventListener('status', ({ data }: MessageEvent<string>) => {
      job = JSON.parse(data) as Job;
      showSoon();
    });
    source.addEventListener('end', () => {
      source.close();
      show();
      change((before) => ({ ...before, isOver: true }));
      if (job !== undefined && possibleControls(job).retry) void openWhenRetried(job);
    });
    source.addEventListener('error', () => {
      show();
      change((before) => withOutage(before, Date.now()));
      if (source.readyState === EventSource.CLOSED) void openAgain();
    });
  }

  open();
  return () => {
    closed.abort();
    source.close();
    clearTimeout(timer);
    clearTimeout(showTimer);
  };
}

/** Follows a job, also after it has failed: somebody may retry it. */
export function useJobStream(id: string): FollowedJob {
  const [followed, setFollowed] = useState(NOTHING);
  useEffect(() => {
    setFollowed(NOTHING);
    return follow(id, setFollowed);
  }, [id]);
  return followed;
}
