// Many who follow one job, as server-sent events.
import { get } from 'node:http';
import { answerQuestions } from './helper.ts';
import type { AboutFollowing, Followed } from './followers.ts';

const MESSAGE = /^id: (\d+)\ndata: .*"when":(\d+)\}$/;
const END = 'event: end\n';

interface Heard {
  readonly number: number;
  readonly when: number;
  readonly arrived: number;
}

interface One {
  readonly heard: Heard[];
  readonly ended: Promise<void>;
  bytes: number;
}

let all: readonly One[] = [];
let since = 0;

/** Resolves with the first bytes. */
function follow(url: string, token: string): Promise<One> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const request = get(url, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
      let rest = '';
      let isOver = false;
      const ended = new Promise<void>((end, fail) => {
        response.once('close', () => (isOver ? end() : fail(new Error('a stream ended before the job'))));
      });
      const one: One = { heard: [], ended, bytes: 0 };
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const arrived = Date.now();
        one.bytes += chunk.length;
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const [, number, when] = MESSAGE.exec(frame) ?? [];
          if (number !== undefined) one.heard.push({ number: Number(number), when: Number(when), arrived });
          isOver ||= frame.startsWith(END);
        }
        resolve(one);
      });
      return undefined;
    });
    request.once('error', reject);
  });
}

function followed(): Followed {
  const inTime = all.flatMap(({ heard }) => heard.filter(({ when }) => when >= since));
  return {
    messages: all.map(({ heard }) => heard.length),
    disordered: all.flatMap(({ heard }) => heard.filter(({ number }, n) => number !== n + 1)).length,
    lags: inTime.map(({ arrived, when }) => Math.max(0, arrived - when)),
    megabytes: all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
  };
}

answerQuestions(async (question: AboutFollowing): Promise<Followed | undefined> => {
  if (question.kind === 'follow') {
    const { followers, url, token } = question;
    all = await Promise.all(Array.from({ length: followers }, () => follow(url, token)));
    since = Date.now();
    return undefined;
  }
  await Promise.all(all.map(({ ended }) => ended));
  return followed();
});
