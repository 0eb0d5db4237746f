// Backlogs of deliveries, written through Steward's own webhooks area without a courier, so that they wait until a Steward
// is started on the installation. Claims are measured on them in the same process.
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import { systemClock as clock } from '../../src/foundation/clock.ts';
import { silentLog as log } from '../../src/foundation/log.ts';
import { createSealer } from '../../src/foundation/sealer.ts';
import { localActor } from '../../src/model/actor.ts';
import { createMasterKey, readMasterKeys } from '../../src/service/files/masterKey.ts';
import type { Store } from '../../src/store/store.ts';
import { openStore } from '../../src/store/store.ts';
import type { Receiver } from '../../src/webhooks/ports/receiver.ts';
import type { Webhooks } from '../../src/webhooks/webhooks.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { childProgram } from '../harness/processes/childProgram.ts';
import type { Installation } from '../harness/processes/installations.ts';
import { EVENT, payloadOf, serviceOf } from './events.ts';

const AT_ONCE = 1000;
const PACE_PER_SECOND = 50;
const LEASE_MS = 60_000;

const receiver: Receiver = {
  problemWith: async () => undefined,
  send: () => Promise.reject(new Error('a backlog is not sent')),
  close: async () => undefined,
};

function webhooksOf(store: Store, data: string): Webhooks {
  return createWebhooks({
    store: store.webhooks,
    jobs: store.jobs,
    receiver,
    sealer: createSealer(readMasterKeys(data, undefined) ?? createMasterKey(data)),
    clock,
    log,
    limits: { total: 1, perWebhook: 1 },
    pacePerSecond: PACE_PER_SECOND,
    retentionDays: 30,
    installation: 'bench',
  });
}

async function createWebhook(webhooks: Webhooks, n: number, hookUrl: string): Promise<void> {
  const details = {
    name: 'bench',
    hookUrl,
    active: true,
    changeTypes: ['*'],
    contentType: 'application/json',
    signatureHeader: '',
    receiverSignals: false,
  } as const;
  await webhooks.create(localActor('bench'), serviceOf(n), details, { signatureKey: undefined, headers: {} });
}

/** Spreads the events over the webhooks in turns, as events arrive in practice. */
async function publish(webhooks: Webhooks, howMany: number, events: number): Promise<void> {
  const perWebhook = Math.floor(events / howMany);
  for (let from = 0; from < perWebhook; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, perWebhook - from);
    const batch = Array.from({ length }, (_, i) => ({ type: EVENT, payload: payloadOf(from + i), eventId: undefined }));
    for (let n = 0; n < howMany; n += 1) await webhooks.publish(serviceOf(n), batch);
  }
}

async function fill(store: Store, data: string, origins: readonly string[], events: number): Promise<void> {
  const webhooks = webhooksOf(store, data);
  for (const [n, origin] of origins.entries()) await createWebhook(webhooks, n, `${origin}/`);
  await publish(webhooks, origins.length, events);
}

/** Claims deliveries and returns them, so that the backlog stays the same. Returns how long each claim took, in ms. */
async function measureClaims({ webhooks }: Store, times: number, atOnce: number): Promise<readonly number[]> {
  const numbers = [...(await webhooks.dueTimes()).keys()];
  const limit = Math.floor(atOnce / numbers.length);
  const quotas = numbers.map((number) => ({ number, limit }));
  const request = { owner: 'bench', pace: releasePace(PACE_PER_SECOND), quotas };
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const now = clock.now();
    const began = performance.now();
    const { claimed } = await webhooks.claim({ ...request, now, leaseUntil: now + LEASE_MS });
    took.push(performance.now() - began);
    if (claimed.length !== limit * numbers.length) throw new Error(`a claim got ${claimed.length} deliveries`);
    await webhooks.returnClaims(request.owner, claimed, clock.now());
  }
  return took;
}

interface FillRequest {
  readonly kind: 'fill';
  readonly installation: Installation;
  /** One webhook is created for each origin. */
  readonly origins: readonly string[];
  /** In total. */
  readonly events: number;
}

interface ClaimRequest {
  readonly kind: 'claim';
  readonly installation: Installation;
  readonly times: number;
  readonly atOnce: number;
}

/** Starts the process. `fill` returns no times, `claim` the time of each claim in ms. */
export const startBacklog = childProgram(
  import.meta.filename,
  () =>
    async (request: FillRequest | ClaimRequest): Promise<readonly number[]> => {
      const { data, store: location } = request.installation;
      const store = await openStore(location, { clock, log });
      try {
        if (request.kind === 'claim') return await measureClaims(store, request.times, request.atOnce);
        await fill(store, data, request.origins, request.events);
        return [];
      } finally {
        await store.close();
      }
    },
);
