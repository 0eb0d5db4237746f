import { Agent } from 'undici';
import { SECOND } from '../../foundation/clock.ts';
import type { AttemptOutcome, Receiver } from '../../webhooks/ports/receiver.ts';
import { FORBIDDEN, createAllowedAddresses } from './addresses/allowedAddresses.ts';
import { readAnswer } from './exchange/answerText.ts';
import type { ExchangeResult } from './exchange/exchange.ts';
import { createConnector } from './connection/connector.ts';
import { STOPPED, createRunningExchanges } from './exchange/runningExchanges.ts';
import type { AddressGuard } from './addresses/addressGuard.ts';
import type { Lookup } from './addresses/lookupQueue.ts';
import { createNameCache } from './addresses/nameCache.ts';
import { retryAfterMs } from './exchange/retryAfter.ts';
import { createTargets } from './addresses/endpoint.ts';

export interface ReceiverOptions {
  readonly guard: AddressGuard;
  /** In place of the system's own look-up. */
  readonly lookup?: Lookup | undefined;
  /** PEM text of certificates that are trusted beside the well-known ones. */
  readonly ca?: string | undefined;
  readonly connectionsPerOrigin?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const SAVE_LOOKUP_MS = 2 * SECOND;

function createAgent(connections: number, connect: Agent.Options['connect']): Agent {
  return new Agent({
    connections,
    connect,
    pipelining: 1,
    // One deadline of ours rules everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10 * SECOND,
    keepAliveMaxTimeout: 60 * SECOND,
    // A receiver that says it closes idle connections after 5 s is not sent anything over one that is 3 s old.
    keepAliveTimeoutThreshold: 2 * SECOND,
  });
}

function outcomeOf(
  { status, head, reason }: ExchangeResult,
  answer: string,
  durationMs: number,
  now: () => number,
): AttemptOutcome {
  if (reason !== undefined) return { kind: 'unreachable', reason, answer, durationMs };
  if (status < 300) return { kind: 'accepted', status, answer, durationMs };
  const asksToWait = status === 429 || status === 503;
  const waitMs = asksToWait ? retryAfterMs(head['retry-after'], now()) : undefined;
  return { kind: 'refused', status, answer, durationMs, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** Nothing is sent here, so a name that is not known yet is no problem: its receiver may come, and sending judges again. */
async function problemWithAddresses(finding: Promise<unknown>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SAVE_LOOKUP_MS, undefined);
  });
  const judged = finding.then(
    () => undefined,
    (error: Error & { readonly code?: string }) => (error.code === FORBIDDEN ? error.message : undefined),
  );
  return Promise.race([judged, patience]).finally(() => clearTimeout(timer));
}

function notBegun(reason: string): ExchangeResult {
  return { status: 0, head: {}, chunks: [], reason };
}

export function createReceiver({
  guard,
  lookup,
  ca,
  connectionsPerOrigin = 64,
  now = Date.now,
}: ReceiverOptions): Receiver {
  let longestMs = 0;
  const names = createNameCache({ lookup });
  const addresses = createAllowedAddresses(guard, names);
  const connector = createConnector({ guard, addressesOf: addresses.find, ca, patienceMs: () => longestMs });
  const agent = createAgent(connectionsPerOrigin, connector.connect);
  const exchanges = createRunningExchanges(agent, names.isAwaited);
  const targets = createTargets(guard);

  return {
    send: (shipment, signal) =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const finish = (ended: ExchangeResult): void => {
          const durationMs = Math.round(performance.now() - startedAt);
          const answer = readAnswer(ended.chunks, ended.head['content-encoding']);
          if (typeof answer === 'string') resolve(outcomeOf(ended, answer, durationMs, now));
          else void answer.then((text) => resolve(outcomeOf(ended, text, durationMs, now)));
        };
        const target = targets.find(shipment.url);
        if (target.problem !== undefined) return finish(notBegun(target.problem));
        if (signal?.aborted === true) return finish(notBegun(STOPPED));
        longestMs = Math.max(longestMs, shipment.timeoutMs);
        exchanges.begin(shipment, target, signal, finish);
      }),

    async problemWith(url) {
      const target = targets.find(url);
      return target.problem ?? problemWithAddresses(addresses.findAnew(target));
    },

    async close() {
      exchanges.stop();
      connector.close();
      await agent.destroy();
    },
  };
}
