import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JobFeed, JobSnapshot } from '../../../jobs/jobFeed.ts';
import type { Job, JobMessage } from '../../../jobs/jobStore.ts';
import { isActive } from '../../../model/jobState.ts';
import { messageView } from '../upgrades/upgradeStatus.ts';

const ALIVE_EVERY_MS = 15_000;

/** Written once for all who follow. */
function once<T extends object>(write: (value: T) => string): (value: T) => string {
  const written = new WeakMap<T, string>();
  return (value) => {
    const known = written.get(value) ?? write(value);
    written.set(value, known);
    return known;
  };
}

const frameOf = once((entry: JobMessage) => `id: ${entry.number}\ndata: ${JSON.stringify(messageView(entry))}\n\n`);

function seenBy(request: FastifyRequest): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/**
 * Writes what is new since the last time. Who reads slowly is told again when there is room: of the latest, with all that
 * came meanwhile, so that what waits for one stays bounded.
 */
function createTeller(raw: ServerResponse, after: number, stateOf: (snapshot: JobSnapshot) => string, end: () => void) {
  let [seen, state] = [after, ''];
  let waiting: JobSnapshot | undefined;

  function tell(snapshot: JobSnapshot): void {
    if (raw.writableEnded) return;
    if (raw.writableNeedDrain) {
      waiting = snapshot;
      return;
    }
    const more = snapshot.entries.slice(snapshot.entries.findLastIndex(({ number }) => number <= seen) + 1);
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
    if (next !== undefined) tell(next);
  });
  return tell;
}

export interface MessageStreams {
  stream(
    feed: JobFeed,
    snapshot: JobSnapshot,
    stateOf: (snapshot: JobSnapshot) => string,
  ): (request: FastifyRequest, reply: FastifyReply) => void;
  /** Ends them all, so that the server can stop. */
  end(): void;
}

/** The state of a job as it is told to all who follow it. */
export function stateFrame(view: (job: Job) => object): (snapshot: JobSnapshot) => string {
  return once(({ job }: JobSnapshot) => JSON.stringify(view(job)));
}

/** What a job says, as server-sent events: `message` for each, `status` for each change of state, and `end`. */
export function createMessageStreams(): MessageStreams {
  const open = new Set<() => void>();

  return {
    stream: (feed, first, stateOf) => (request, reply) => {
      const { raw } = reply;
      const after = seenBy(request);
      if (after > 0 && !isActive(first.job.state) && after >= (first.entries.at(-1)?.number ?? 0)) {
        // Nothing will come any more; a browser does not ask again after this.
        raw.writeHead(204, { 'x-request-id': request.id }).end();
        return;
      }
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-request-id': request.id,
      });
      raw.write('retry: 1000\n\n');
      const close = (): void => {
        clearInterval(alive);
        unfollow();
        open.delete(close);
        raw.end();
      };
      const tell = createTeller(raw, after, stateOf, close);
      const alive = setInterval(() => raw.write(': alive\n\n'), ALIVE_EVERY_MS);
      const unfollow = feed.follow(first.job.id, { tell });
      open.add(close);
      raw.on('close', close);
      tell(first);
      // What came between the look and the follow.
      feed.read(first.job.id).then(tell, close);
    },

    end() {
      for (const close of open) close();
    },
  };
}
