// Messages of a job as server-sent events. Each message is serialised once, however many clients follow the job, and a client
// that reads slowly is sent the newest snapshot when its socket drains, so that its backlog stays bounded.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { memoize } from '../../../foundation/cache/memoize.ts';
import type { JobFeed, JobSnapshot } from '../../../jobs/jobFeed.ts';
import type { Job, JobMessage } from '../../../jobs/jobStore.ts';
import { isActive } from '../../../model/jobState.ts';
import { beginEvents, keepHeaders } from '../../server/eventStream.ts';
import { steppedMessage } from './jobView.ts';

const ALIVE_EVERY_MS = 15_000;

type StateText = (snapshot: JobSnapshot) => string;

const frameOf = memoize(
  (entry: JobMessage) => `id: ${entry.number}\ndata: ${JSON.stringify(steppedMessage(entry))}\n\n`,
);

/** Reads `Last-Event-ID`, which a browser sends when it reconnects. */
function lastSeenBy(request: FastifyRequest): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** Writes what is new since the last call. While the socket is full only the newest snapshot is kept. */
function createWriter(raw: ServerResponse, after: number, stateOf: StateText, end: () => void) {
  let [seen, state] = [after, ''];
  let waiting: JobSnapshot | undefined;

  function write(snapshot: JobSnapshot): void {
    if (raw.writableEnded) return;
    if (raw.writableNeedDrain) {
      waiting = snapshot;
      return;
    }
    const more = snapshot.messages.slice(snapshot.messages.findLastIndex(({ number }) => number <= seen) + 1);
    seen = more.at(-1)?.number ?? seen;
    const now = stateOf(snapshot);
    const change = now === state ? '' : `event: status\ndata: ${now}\n\n`;
    state = now;
    const isOver = !isActive(snapshot.job.state);
    const text = more.map(frameOf).join('') + change + (isOver ? 'event: end\ndata: {}\n\n' : '');
    if (text !== '') raw.write(text);
    if (isOver) end();
  }

  raw.on('drain', () => {
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) write(next);
  });
  return write;
}

/** Serialises the state of a job once for all its followers. */
export function stateFrame(view: (job: Job) => object): StateText {
  return memoize(({ job }: JobSnapshot) => JSON.stringify(view(job)));
}

/** Calls `onEnd` when the token of the follower ends. Returns the function that ends the watch. */
export type TokenWatch = (onEnd: () => void) => () => void;

/** Streams a job: a `message` event for each message, `status` for each change of state, and `end`. */
export function createMessageStreams() {
  const open = new Set<() => void>();
  let isEnding = false;

  return {
    stream:
      (feed: JobFeed, first: JobSnapshot, stateOf: StateText, watchToken: TokenWatch) =>
      (request: FastifyRequest, reply: FastifyReply) => {
        const { raw } = reply;
        const after = lastSeenBy(request);
        if (after > 0 && !isActive(first.job.state) && after >= (first.messages.at(-1)?.number ?? 0)) {
          // The client has everything. A browser does not reconnect after 204.
          keepHeaders(reply).writeHead(204).end();
          return;
        }
        beginEvents(reply).write('retry: 1000\n\n');
        const close = (): void => {
          clearInterval(alive);
          unfollow();
          unwatch();
          open.delete(close);
          raw.end();
        };
        const write = createWriter(raw, after, stateOf, close);
        const alive = setInterval(() => raw.write(': alive\n\n'), ALIVE_EVERY_MS);
        const unfollow = feed.follow(first.job.id, write);
        const unwatch = watchToken(close);
        open.add(close);
        raw.on('close', close);
        write(first);
        if (isEnding) close();
        // Read again: messages may have arrived between the snapshot and `follow`.
        feed.read(first.job.id).then(write, close);
      },

    /** Ends every open stream, so that the server can stop. */
    end(): void {
      isEnding = true;
      for (const close of open) close();
    },
  };
}

export type MessageStreams = ReturnType<typeof createMessageStreams>;
