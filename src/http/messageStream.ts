import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Feed, Snapshot } from '../jobs/feed.ts';
import type { JobEntry } from '../jobs/jobStore.ts';
import { ACTIVE } from '../jobs/jobStore.ts';
import { messageView } from './upgradeStatus.ts';

const ALIVE_EVERY_MS = 15_000;
/** One who does not read what is sent is let go; it can come back for the rest. */
const UNREAD_AT_MOST = 1024 * 1024;

const frames = new WeakMap<JobEntry, string>();

/** Written once for all who follow. */
function frameOf(entry: JobEntry): string {
  const known = frames.get(entry);
  if (known !== undefined) return known;
  const frame = `id: ${entry.number}\ndata: ${JSON.stringify(messageView(entry))}\n\n`;
  frames.set(entry, frame);
  return frame;
}

function seenBy(request: FastifyRequest): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}

export interface MessageStreams {
  stream(
    feed: Feed,
    snapshot: Snapshot,
    stateOf: (snapshot: Snapshot) => object,
  ): (request: FastifyRequest, reply: FastifyReply) => void;
  /** Ends them all, so that the server can stop. */
  end(): void;
}

/** What a job says, as server-sent events: `message` for each, `status` for each change of state, and `end`. */
export function createMessageStreams(): MessageStreams {
  const open = new Set<() => void>();

  return {
    stream: (feed, first, stateOf) => (request, reply) => {
      const { raw } = reply;
      let seen = seenBy(request);
      let state = '';
      if (!ACTIVE.includes(first.job.state) && seen >= (first.entries.at(-1)?.number ?? 0) && seen > 0) {
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

      const close = (): void => {
        clearInterval(alive);
        unfollow();
        open.delete(close);
        raw.end();
      };

      const tell = (snapshot: Snapshot): void => {
        const more = snapshot.entries.slice(snapshot.entries.findLastIndex(({ number }) => number <= seen) + 1);
        let text = more.map(frameOf).join('');
        seen = more.at(-1)?.number ?? seen;
        const now = JSON.stringify(stateOf(snapshot));
        if (now !== state) text += `event: status\ndata: ${now}\n\n`;
        state = now;
        const isOver = !ACTIVE.includes(snapshot.job.state);
        if (text !== '') raw.write(isOver ? `${text}event: end\ndata: {}\n\n` : text);
        if (isOver || raw.writableLength > UNREAD_AT_MOST) close();
      };

      const alive = setInterval(() => raw.write(': alive\n\n'), ALIVE_EVERY_MS);
      const unfollow = feed.follow(first.job.id, { tell });
      open.add(close);
      raw.on('close', close);
      raw.write('retry: 1000\n\n');
      tell(first);
      // What came between the look and the follow.
      feed.read(first.job.id).then(tell, close);
    },

    end() {
      for (const close of open) close();
    },
  };
}
