import type { StoreLocation } from '../../../src/store/store.ts';
import type { RecordingReceiver } from './recordingReceiver.ts';
import { keyOf } from './recordingReceiver.ts';
import type { Client } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { rowsOf } from '../store/stores.ts';
import { until } from '../run/until.ts';

export const SERVICE = 'Orders.Map';
/** The path of a receiver that refuses every event that must fail. */
export const FAILING_PATH = '/shaky';
export const STEADY_PATH = '/steady';

export interface Policy {
  readonly attempts: number;
  readonly timeOutS: number;
  readonly waitS: number;
}

export interface WebhookSetup {
  readonly token: string;
  /** The ids of the webhooks by the path of their receiver. */
  readonly webhooks: ReadonlyMap<string, string>;
}

async function done(answered: ReturnType<StewardProcess['post']>): ReturnType<StewardProcess['post']> {
  const { status, body } = await answered;
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return answered;
}

/** Creates a service with webhooks, and a policy that deactivates none. */
export async function setUpWebhooks(
  server: Pick<StewardProcess, 'post' | 'token'>,
  receiver: RecordingReceiver,
  policy: Policy,
  paths: readonly string[],
): Promise<WebhookSetup> {
  const token = await server.token({ expiration: '20160' });
  await done(
    server.post('/admin/services/webhooks/settings', {
      token,
      notificationAttempts: String(policy.attempts),
      notificationTimeOutInSeconds: String(policy.timeOutS),
      notificationElapsedTimeInSeconds: String(policy.waitS),
      numberOfFailures: '100000',
    }),
  );
  await done(server.post('/admin/services/createService', { token, serviceName: 'Orders', type: 'Map' }));
  const webhooks = new Map<string, string>();
  for (const path of paths) {
    const fields = { token, name: path.slice(1), hookUrl: receiver.url + path, changeTypes: '["order"]' };
    const { body } = await done(
      server.post(`/admin/services/${SERVICE}/webhooks/create`, { ...fields, signatureKey: receiver.signatureKey }),
    );
    webhooks.set(path, body.webhook.id);
  }
  return { token, webhooks };
}

/** The number of events that have arrived at every webhook. */
export function arrivedIn({ webhooks }: WebhookSetup, receiver: RecordingReceiver): number {
  return Math.min(...[...webhooks.keys()].map((path) => receiver.idsAt(path).size));
}

export interface Shown {
  readonly active: boolean;
  readonly ledger: Readonly<Record<'accepted' | 'delivered' | 'pending' | 'held' | 'failed' | 'discarded', number>>;
  readonly failureWindow: { readonly failures: number; readonly startedAt: string; readonly endsAt: string } | null;
}

export async function show(
  server: Pick<Client, 'post'>,
  { token, webhooks }: WebhookSetup,
  path: string,
): Promise<Shown> {
  const read = () => server.post(`/admin/services/${SERVICE}/webhooks/${webhooks.get(path)}`, { token });
  let answer = await read();
  // A store that was disturbed a moment ago may still be away.
  await until('the store answers', async () => answer.status !== 503 || (answer = await read()).status !== 503);
  return (await done(Promise.resolve(answer))).body;
}

/** Waits until no delivery is pending. */
export async function untilDelivered(server: Pick<Client, 'post'>, scene: WebhookSetup): Promise<void> {
  await until('no delivery is pending', async () => {
    const shown = await Promise.all([...scene.webhooks.keys()].map((path) => show(server, scene, path)));
    return shown.every(({ ledger }) => ledger.pending === 0);
  });
}

/** A delivery that a process has claimed, or had when it died. */
export interface Claim {
  readonly key: string;
  readonly fence: number;
  /** When its lease ends, by the clock of the store. */
  readonly leaseUntil: number;
}

export interface Unsettled {
  /** The next attempt of every pending delivery. None of these attempts is settled. */
  readonly keys: ReadonlySet<string>;
  readonly claims: readonly Claim[];
}

export async function unsettled(place: StoreLocation, receiver: RecordingReceiver): Promise<Unsettled> {
  const found = await rowsOf(
    place,
    `(select w.url, e.id, q.owner, q.fence, q.lease_until,
        (select coalesce(max(a.number), 0) from attempt a where a.delivery_id = d.id) as settled
      from delivery d join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq
        join queue q on q.delivery_id = d.id) as waiting`,
  );
  const waiting = found.map(({ url, id, settled, owner, fence, lease_until }) => ({
    key: keyOf(String(url).slice(receiver.url.length), String(id), Number(settled) + 1),
    isClaimed: owner !== null,
    fence: Number(fence),
    leaseUntil: Number(lease_until),
  }));
  return { keys: new Set(waiting.map(({ key }) => key)), claims: waiting.filter(({ isClaimed }) => isClaimed) };
}
