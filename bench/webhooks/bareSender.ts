import { Agent } from 'undici';
import { childProgram } from '../harness/processes/childProgram.ts';
import { sentBody } from './events.ts';

const POOL = 64;

interface SendRequest {
  readonly origins: readonly string[];
  /** How many requests are under way to each origin. */
  readonly each: number;
  readonly requests: number;
}

export interface SendCost {
  /** CPU time of the process for one request. */
  readonly microseconds: number;
  readonly perSecond: number;
}

/** Starts the least that any sender does: undici posts a body and dumps the answer. Nothing is stored, signed or logged. */
export const startBareSender = childProgram(import.meta.filename, () => {
  const agent = new Agent({ connections: POOL, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  const body = sentBody(12_345);
  return async ({ origins, each, requests }: SendRequest): Promise<SendCost> => {
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
  };
});
