// Follows a job over its stream of events. The browser reconnects by itself and names the last message that it has; where it gives up,
// the stream is opened again, and messages that are known are left out by their numbers. While the stream is silent, the job is read,
// because a proxy may hold the stream back.
import { useEffect, useState } from 'react';
import { at } from '../../../wire/client/call.ts';
import { ApiFailure, connection, get, pathOf } from '../../api/client.ts';
import { api } from '../../api/operations.ts';
import { serverNow } from '../../api/serverClock.ts';
import type { Job, Message } from '../answers.ts';
import type { FollowedJob, NumberedMessage } from './followedJob.ts';
import { withMessages, withOutage, withReturn } from './followedJob.ts';
import { isActive } from '../parts/jobState.ts';
import { possibleControls } from './possibleControls.ts';
import type { Silence } from './silence.ts';
import { watchSilence } from './silence.ts';

const NOTHING: FollowedJob = { job: undefined, messages: [], outages: [], isOver: false };
const [OPEN_AGAIN_MS, LOOK_AGAIN_MS] = [2000, 3000];
/** An upgrade sends fifty messages a second; to draw each of them would keep the page busy. */
const SHOW_AFTER_MS = 150;

/** Whether somebody has retried a job that had failed. A server that does not answer is asked again. */
async function isRetried({ id, endedAt }: Job, signal: AbortSignal): Promise<boolean> {
  const job = await get(at(api.jobs.item, { id }), {}, signal).catch(() => undefined);
  return job !== undefined && job.endedAt !== endedAt;
}

const REFUSED: ReadonlySet<number> = new Set([403, 404]);

/** Why the server refuses the job; undefined if it shows it, or does not answer. The stream itself does not tell. */
async function refusalOf(id: string, signal: AbortSignal): Promise<Error | undefined> {
  const error: unknown = await get(at(api.jobs.item, { id }), {}, signal).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return error instanceof ApiFailure && REFUSED.has(error.status) ? error : undefined;
}

/** A job that is read has all its messages, and they are numbered from 1. */
async function readJob(id: string, signal: AbortSignal) {
  const { messages, ...job } = await get(at(api.jobs.item, { id }), {}, signal);
  return { job, messages: messages.map((message, n) => ({ ...message, number: n + 1 })) };
}

type Change = (change: (before: FollowedJob) => FollowedJob) => void;

function readMessage({ data, lastEventId }: MessageEvent<string>): NumberedMessage {
  return { ...(JSON.parse(data) as Message), number: Number(lastEventId) };
}

/** Opens the stream. What arrives is shown together, a few times a second. Returns the function that closes it. */
function follow(id: string, change: Change): () => void {
  const closed = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let showTimer: ReturnType<typeof setTimeout> | undefined;
  const arrived: NumberedMessage[] = [];
  let job: Job | undefined;
  let silence: Silence | undefined;
  /** The number of the last message on the page. */
  let last = 0;

  function show(): void {
    clearTimeout(showTimer);
    showTimer = undefined;
    const [latest, messages] = [job, arrived.splice(0)];
    last = Math.max(last, messages.at(-1)?.number ?? 0);
    change((before) => withMessages({ ...before, job: latest }, messages));
  }

  async function readInSilence(isOutdated: () => boolean): Promise<boolean> {
    const found = await readJob(id, closed.signal);
    if (isOutdated()) return false;
    const isNews = found.messages.length > last;
    change((before) => withReturn(before, serverNow()));
    job = found.job;
    arrived.push(...found.messages);
    if (isActive(job.state)) show();
    else end();
    return isNews;
  }

  function showSoon(): void {
    silence?.break();
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
    else {
      silence?.end();
      change((before) => ({ ...before, outages: [], refusal }));
    }
  }

  function end(): void {
    source?.close();
    silence?.end();
    show();
    change((before) => ({ ...before, isOver: true }));
    if (job !== undefined && possibleControls(job).retry) void openWhenRetried(job);
  }

  function open(): void {
    clearTimeout(timer);
    source?.close();
    silence?.end();
    silence = watchSilence(readInSilence);
    const opened = new EventSource(pathOf(at(api.jobs.messages, { id })));
    source = opened;
    opened.addEventListener('open', () => change((before) => withReturn({ ...before, isOver: false }, serverNow())));
    opened.addEventListener('message', (event: MessageEvent<string>) => {
      arrived.push(readMessage(event));
      showSoon();
    });
    opened.addEventListener('status', ({ data }: MessageEvent<string>) => {
      job = JSON.parse(data) as Job;
      showSoon();
    });
    opened.addEventListener('end', end);
    opened.addEventListener('error', () => {
      show();
      // A proxy may end a stream although Steward answers. The browser then opens it again.
      connection.doubt();
      if (opened.readyState === EventSource.CLOSED) void openAgain();
    });
  }

  /** After an outage the stream is opened at once. The browser would wait, and give up if a proxy has answered. */
  function noteOutage(): void {
    if (connection.outage() !== undefined) change((before) => withOutage(before, serverNow()));
    else if (source?.readyState === EventSource.OPEN) change((before) => withReturn(before, serverNow()));
    else if (job === undefined || isActive(job.state)) open();
  }

  open();
  const stopNoting = connection.subscribe(noteOutage);
  return () => {
    closed.abort();
    stopNoting();
    source?.close();
    silence?.end();
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
