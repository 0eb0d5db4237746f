// The driver that sends webhook requests over HTTP. `addresses/` decides which addresses may be dialled, `connection/` opens
// sockets to them, and `exchange/` carries one request and its answer.
import { Agent } from 'undici';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import type { Receiver, SendOutcome } from '../../webhooks/ports/receiver.ts';
import type { AddressGuard } from './addresses/addressGuard.ts';
import { FORBIDDEN, createAllowedAddresses } from './addresses/allowedAddresses.ts';
import { createUrlParser } from './addresses/endpoint.ts';
import type { Lookup } from './addresses/lookupQueue.ts';
import { createNameCache } from './addresses/nameCache.ts';
import { createConnector } from './connection/connector.ts';
import { createRotatingAgent } from './connection/rotatingAgent.ts';
import { readAnswer } from './exchange/answerText.ts';
import type { ExchangeResult } from './exchange/exchange.ts';
import { refusalReason } from './exchange/failureReason.ts';
import { watchLateness } from './exchange/lateness.ts';
import { retryAfterMs } from './exchange/retryAfter.ts';
import { STOPPED, createRunningExchanges } from './exchange/runningExchanges.ts';

export interface ReceiverOptions {
  readonly guard: AddressGuard;
  /** Replaces the look-up of the operating system. */
  readonly lookup?: Lookup | undefined;
  /** PEM text of additional trusted certificates. */
  readonly ca?: string | undefined;
  readonly connectionsPerOrigin?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const SAVE_LOOKUP_MS = 2 * SECOND;

/** A name that has moved is followed after this time, although its former address still answers. */
export const MAX_CONNECTION_AGE_MS = MINUTE;
/** Larger than what common servers send. Node's own limit is the fourth part. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** How long an idle connection is used again. docs/receivers.md has these numbers. */
export const IDLE = {
  keepAliveTimeout: 10 * SECOND,
  keepAliveMaxTimeout: 60 * SECOND,
  // If a receiver announces that it closes idle connections after 5 s, a connection is not used after 3 s.
  keepAliveTimeoutThreshold: 2 * SECOND,
};

const REUSED = { pipelining: 1 };
/** Each request has its own connection. */
const SINGLE = { pipelining: 0 };

function createAgent(connections: number, connect: Agent.Options['connect'], use: Agent.Options): Agent {
  return new Agent({
    connections,
    connect,
    ...use,
    maxHeaderSize: MAX_HEAD_BYTES,
    // The deadline of the exchange covers everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...IDLE,
  });
}

function outcomeOf(result: ExchangeResult, answer: string, durationMs: number, now: () => number): SendOutcome {
  if (result.kind === 'notSent') return { kind: 'notSent', reason: result.reason, answer, durationMs };
  if (result.kind === 'broken') return { kind: 'unreachable', reason: result.reason, answer, durationMs };
  const { status, headers } = result;
  if (status < 300) return { kind: 'accepted', status, answer, durationMs };
  const reason = refusalReason(status, headers['location']);
  const asksToWait = status === 429 || status === 503;
  const waitMs = asksToWait ? retryAfterMs(headers['retry-after'], now()) : undefined;
  return { kind: 'refused', status, reason, answer, durationMs, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** For saving a webhook: a name that does not resolve yet is not a problem, because sending checks again. */
async function problemWithAddresses(lookup: Promise<unknown>, namesAddress: boolean): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SAVE_LOOKUP_MS, undefined);
  });
  const problem = lookup.then(
    () => undefined,
    (error: Error & { readonly code?: string; readonly fullProblem?: string }) =>
      error.code === FORBIDDEN ? ((namesAddress ? error.fullProblem : undefined) ?? error.message) : undefined,
  );
  return Promise.race([problem, patience]).finally(() => clearTimeout(timer));
}

function notStarted(reason: string): ExchangeResult {
  return { kind: 'broken', reason, headers: {}, chunks: [] };
}

/** Creates the driver for receivers. */
export function createReceiver({
  guard,
  lookup,
  ca,
  connectionsPerOrigin = 64,
  now = Date.now,
}: ReceiverOptions): Receiver {
  let longestTimeoutMs = 0;
  const names = createNameCache({ lookup });
  const addresses = createAllowedAddresses(guard, names);
  const connector = createConnector({ guard, addressesOf: addresses.find, ca, patienceMs: () => longestTimeoutMs });
  const agent = createRotatingAgent(
    () => createAgent(connectionsPerOrigin, connector.connect, REUSED),
    MAX_CONNECTION_AGE_MS,
  );
  const fresh = createAgent(connectionsPerOrigin, connector.connect, SINGLE);
  const lateness = watchLateness();
  const exchanges = createRunningExchanges({ dispatcher: agent, fresh, nameWaitsFor: names.waitsFor, lateness });
  const parseUrl = createUrlParser(guard);

  return {
    send: (request, signal) =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const parsed = parseUrl(request.url);
        const finish = (result: ExchangeResult): void => {
          const durationMs = Math.round(performance.now() - startedAt);
          if (result.kind === 'broken' && parsed.kind !== 'refused') names.refresh(parsed.host);
          const answer = readAnswer(result.chunks, result.headers['content-encoding']);
          if (typeof answer === 'string') resolve(outcomeOf(result, answer, durationMs, now));
          else void answer.then((text) => resolve(outcomeOf(result, text, durationMs, now)));
        };
        if (parsed.kind === 'refused') return finish(notStarted(parsed.problem));
        if (signal?.aborted === true) return finish(notStarted(STOPPED));
        longestTimeoutMs = Math.max(longestTimeoutMs, request.timeoutMs);
        exchanges.start(request, parsed, signal, finish);
      }),

    async problemWith(url, namesAddress = false) {
      const parsed = parseUrl(url);
      return parsed.kind === 'refused' ? parsed.problem : problemWithAddresses(addresses.lookUp(parsed), namesAddress);
    },

    async close() {
      exchanges.stopAll();
      lateness.stop();
      connector.close();
      await agent.destroy();
      await fresh.destroy();
    },
  };
}
