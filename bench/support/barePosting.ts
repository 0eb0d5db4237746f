// The least that any sender does: undici posts a body, and dumps the answer. Nothing is kept, signed or logged.
import { Agent } from 'undici';
import { bodyOf } from './events.ts';
import { answerQuestions } from './helper.ts';
import type { AboutPosting, Posted } from './barePost.ts';

const POOL = 64;
const agent = new Agent({ connections: POOL, pipelining: 1 });
const headers = { 'content-type': 'application/json' };
const body = bodyOf(12_345);

async function post({ origins, each, requests }: AboutPosting): Promise<Posted> {
  let left = requests;
  async function work(origin: string): Promise<void> {
    while (left > 0) {
      left -= 1;
      const response = await agent.request({ origin, path: '/', method: 'POST', headers, body });
      await response.body.dump();
    }
  }
  const [began, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(origins.flatMap((origin) => Array.from({ length: each }, () => work(origin))));
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1000;
  return { microseconds: (user + system) / requests, perSecond: requests / seconds };
}

answerQuestions(post);
