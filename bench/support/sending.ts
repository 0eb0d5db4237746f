// An open loop: every request has its time, fixed in advance, however slow the answers to those before it are.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { answerQuestions } from './helper.ts';
import { instant } from './instant.ts';
import type { AboutSending, Sent } from './openLoop.ts';

const CONNECTIONS = 64;
const LEAD_MS = 100;
const TICK_MS = 1;
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
let stopping = new AbortController();

async function send(plan: Extract<AboutSending, { readonly kind: 'send' }>): Promise<readonly Sent[]> {
  const { origin, headers, requests, order, perSecond } = plan;
  const sent: Sent[] = [];
  const underWay = new Set<Promise<void>>();

  async function one(index: number, intended: number): Promise<void> {
    const { path, body } = requests[index] ?? { path: '/', body: '' };
    const response = await agent.request({ origin, path, method: 'POST', headers, body });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`);
    sent.push({ index, intended, answered: instant(), id: /"id":"(evt_\w+)"/.exec(text)?.[1] ?? '' });
  }

  stopping = new AbortController();
  const { signal } = stopping;
  const began = instant() + LEAD_MS;
  for (let n = 0; n < order.length && !signal.aborted;) {
    const intended = began + (n * 1000) / perSecond;
    if (intended > instant()) {
      await sleep(TICK_MS);
      continue;
    }
    const sending: Promise<void> = one(order[n] ?? 0, intended).finally(() => underWay.delete(sending));
    // What fails is heard of at the end.
    sending.catch(() => underWay.add(sending));
    underWay.add(sending);
    n += 1;
  }
  await Promise.all(underWay);
  return sent;
}

answerQuestions((question: AboutSending): Promise<readonly Sent[]> | readonly Sent[] => {
  if (question.kind === 'send') return send(question);
  stopping.abort();
  return [];
});
