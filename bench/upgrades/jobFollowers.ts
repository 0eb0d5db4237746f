import { get } from 'node:http';
import { childProgram } from '../harness/processes/childProgram.ts';
import { sum } from '../harness/measure/statistics.ts';

const MESSAGE = /^id: (\d+)\ndata: .*"when":(\d+)\}$/;
const END = 'event: end\n';

interface ReceivedMessage {
  readonly number: number;
  readonly when: number;
  readonly arrived: number;
}

interface Follower {
  readonly received: ReceivedMessage[];
  readonly ended: Promise<void>;
  bytes: number;
}

interface Followed {
  /** How many messages each follower has received, and how many were out of order in total. */
  readonly messages: readonly number[];
  readonly disordered: number;
  /** From the time of a message to its arrival, in ms, of each message written after all followers had started. */
  readonly lags: readonly number[];
  readonly megabytes: number;
}

/** Follows a job as server-sent events. Resolves when the first bytes arrive. */
function follow(url: string, token: string): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const request = get(url, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
      let rest = '';
      let isOver = false;
      const ended = new Promise<void>((end, fail) => {
        response.once('close', () => (isOver ? end() : fail(new Error('a stream ended before the job'))));
      });
      const follower: Follower = { received: [], ended, bytes: 0 };
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const arrived = Date.now();
        follower.bytes += chunk.length;
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const [, number, when] = MESSAGE.exec(frame) ?? [];
          if (number !== undefined) follower.received.push({ number: Number(number), when: Number(when), arrived });
          isOver ||= frame.startsWith(END);
        }
        resolve(follower);
      });
      return undefined;
    });
    request.once('error', reject);
  });
}

function resultOf(followers: readonly Follower[], since: number): Followed {
  const live = followers.flatMap(({ received }) => received.filter(({ when }) => when >= since));
  return {
    messages: followers.map(({ received }) => received.length),
    disordered: followers.flatMap(({ received }) => received.filter(({ number }, n) => number !== n + 1)).length,
    lags: live.map(({ arrived, when }) => Math.max(0, arrived - when)),
    megabytes: sum(followers.map(({ bytes }) => bytes)) / 1e6,
  };
}

interface FollowRequest {
  readonly kind: 'follow';
  readonly url: string;
  readonly token: string;
  readonly count: number;
}

/** Starts followers of a job. `follow` is answered when all of them follow, `end` when all have received the end of the job. */
export const startJobFollowers = childProgram(import.meta.filename, () => {
  let followers: readonly Follower[] = [];
  let since = 0;
  return async (request: FollowRequest | { readonly kind: 'end' }): Promise<Followed | undefined> => {
    if (request.kind === 'follow') {
      const { count, url, token } = request;
      followers = await Promise.all(Array.from({ length: count }, () => follow(url, token)));
      since = Date.now();
      return undefined;
    }
    await Promise.all(followers.map(({ ended }) => ended));
    return resultOf(followers, since);
  };
});
