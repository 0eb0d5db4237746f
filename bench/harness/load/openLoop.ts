import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { childProgram } from '../processes/childProgram.ts';
import { monotonicMs } from '../measure/monotonicClock.ts';

const CONNECTIONS = 64;
const LEAD_MS = 100;
const TICK_MS = 1;

interface Plan {
  readonly kind: 'send';
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly { readonly path: string; readonly body: string }[];
  /** Indexes into `requests`, one for each request to send. */
  readonly order: readonly number[];
  readonly perSecond: number;
}

export interface SentRequest {
  readonly index: number;
  /** When it was due to be sent, and when its answer was complete. */
  readonly intended: number;
  readonly answered: number;
  /** The id of the accepted event; empty if the answer has none. */
  readonly id: string;
}

async function sendOne(agent: Agent, plan: Plan, index: number, intended: number): Promise<SentRequest> {
  const { origin, headers, requests } = plan;
  const { path, body } = requests[index] ?? { path: '/', body: '' };
  const response = await agent.request({ origin, path, method: 'POST', headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`);
  return { index, intended, answered: monotonicMs(), id: /"id":"(evt_\w+)"/.exec(text)?.[1] ?? '' };
}

async function sendAll(agent: Agent, plan: Plan, signal: AbortSignal): Promise<readonly SentRequest[]> {
  const { order, perSecond } = plan;
  const sent: Promise<SentRequest>[] = [];
  const began = monotonicMs() + LEAD_MS;
  while (sent.length < order.length && !signal.aborted) {
    const intended = began + (sent.length * 1000) / perSecond;
    if (intended > monotonicMs()) {
      await sleep(TICK_MS);
      continue;
    }
    const one = sendOne(agent, plan, order[sent.length] ?? 0, intended);
    // A failure is reported at the end, by Promise.all.
    one.catch(() => undefined);
    sent.push(one);
  }
  return Promise.all(sent);
}

/** Starts an open loop: every request is sent at a fixed time, however slow the answers to the earlier ones are. */
export const startOpenLoop = childProgram(import.meta.filename, () => {
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  let stopping = new AbortController();
  return (request: Plan | { readonly kind: 'stop' }): Promise<readonly SentRequest[]> | readonly SentRequest[] => {
    if (request.kind === 'stop') {
      stopping.abort();
      return [];
    }
    stopping = new AbortController();
    return sendAll(agent, request, stopping.signal);
  };
});
