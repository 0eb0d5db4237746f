import { Agent, get } from 'node:http';
import { childProgram } from '../processes/childProgram.ts';

function request(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.once('end', resolve);
    }).once('error', reject);
  });
}

/**
 * Starts to send one request after the other. Each question is answered with the longest time to an answer, in ms, since the
 * question before it; a request that is under way counts.
 */
export const startHealthProbe = childProgram(import.meta.filename, (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let longest = 0;
  let report: ((longestMs: number) => void) | undefined;
  void (async () => {
    for (;;) {
      const began = performance.now();
      await request(url, agent);
      longest = Math.max(longest, performance.now() - began);
      if (report !== undefined) {
        report(longest);
        [longest, report] = [0, undefined];
      }
      // Lets a question arrive.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return (): Promise<number> =>
    new Promise((resolve) => {
      report = resolve;
    });
});
