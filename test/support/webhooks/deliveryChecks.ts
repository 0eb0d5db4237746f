import { expect } from 'vitest';
import type { StoreLocation } from '../../../src/store/store.ts';
import type { Claim, Policy, WebhookSetup, Unsettled } from './webhookSetup.ts';
import { FAILING_PATH, show } from './webhookSetup.ts';
import type { EventSender } from './eventSender.ts';
import type { Arrival, RecordingReceiver } from './recordingReceiver.ts';
import { keyOf } from './recordingReceiver.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { rowsOf } from '../store/stores.ts';

/** The death of a process, and what the store knew right after it. */
export interface Kill extends Unsettled {
  readonly at: number;
  /** How many requests the receiver had when it had read all that the process sent. */
  readonly arrivals: number;
}

export interface DeliveryRun {
  readonly place: StoreLocation;
  readonly server: StewardProcess;
  readonly receiver: RecordingReceiver;
  readonly sender: EventSender;
  readonly scene: WebhookSetup;
  readonly policy: Policy;
}

export interface Repeat {
  readonly key: string;
  readonly before: Arrival;
  readonly again: Arrival;
}

/** Requests that repeat an earlier one of the same delivery and attempt. */
export function repeatsIn(arrivals: readonly Arrival[]): readonly Repeat[] {
  const last = new Map<string, Arrival>();
  const repeats: Repeat[] = [];
  for (const again of arrivals) {
    const key = keyOf(again.path, again.id, again.attempt);
    const before = last.get(key);
    if (before !== undefined) repeats.push({ key, before, again });
    last.set(key, again);
  }
  return repeats;
}

/** Repeats that no death of a process explains, or of attempts that were settled before it. */
export function unexplained(
  repeats: readonly Repeat[],
  kills: readonly Kill[],
  attempts: ReadonlyMap<string, number>,
): readonly Repeat[] {
  return repeats.filter(({ key, before, again }) => {
    const kill = kills.find(
      ({ arrivals, keys }) => before.place < arrivals && arrivals <= again.place && keys.has(key),
    );
    return kill === undefined || (attempts.get(key) ?? 0) < kill.at;
  });
}

/** Deliveries that were claimed when a process died and that no process has taken up since. */
export function neverTakenUp(
  kills: readonly Kill[],
  arrivals: readonly Arrival[],
  attempts: ReadonlyMap<string, number>,
): readonly string[] {
  const times = new Map<string, number[]>();
  for (const { path, id, attempt, at } of arrivals) {
    const key = keyOf(path, id, attempt);
    const known = times.get(key);
    if (known === undefined) times.set(key, [at]);
    else known.push(at);
  }
  return kills.flatMap(({ at, claims }, n) => {
    const isTakenUp = ({ key, fence }: Claim): boolean =>
      attempts.has(key) ||
      times.get(key)?.some((time) => time >= at) === true ||
      kills.slice(n + 1).some((later) => later.claims.some((one) => one.key === key && one.fence > fence));
    return claims.filter((claim) => !isTakenUp(claim)).map(({ key }) => key);
  });
}

/** Reads the attempts from the store, with the time at which each began. */
export async function attemptsIn(place: StoreLocation, receiver: RecordingReceiver) {
  const found = await rowsOf(
    place,
    `(select w.url, e.id, a.number, a.at, a.kind from attempt a join delivery d on d.id = a.delivery_id
      join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq) as made`,
  );
  return found.map(({ url, id, number, at, kind }) => ({
    key: keyOf(String(url).slice(receiver.url.length), String(id), Number(number)),
    at: Number(at),
    kind: String(kind),
  }));
}

/** Expects that nothing is lost, nothing is counted twice, and the ledger adds up. */
export async function expectConsistentDeliveries({
  place,
  server,
  receiver,
  sender,
  scene,
  policy,
}: DeliveryRun): Promise<void> {
  expect(sender.problems).toEqual([]);
  expect(receiver.problems).toEqual([]);
  const accepted = [...sender.accepted.values()];
  const mustFail = accepted.filter((one) => one.mustFail);
  const attempts = await attemptsIn(place, receiver);
  const deliveries = await rowsOf(
    place,
    `(select w.url, d.state, d.attempts, (select q.owner from queue q where q.delivery_id = d.id) as owner, e.id, e.event_id,
        (select count(*) from attempt a where a.delivery_id = d.id) as made
      from delivery d join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq) as kept`,
  );
  const came = new Set(receiver.arrivals.map(({ path, id, attempt }) => keyOf(path, id, attempt)));
  expect(deliveries.filter(({ attempts: counted, made }) => Number(counted) !== Number(made))).toEqual([]);
  expect(deliveries.filter(({ owner }) => owner !== null)).toEqual([]);
  expect(attempts.filter(({ key, kind }) => kind !== 'unreachable' && !came.has(key))).toEqual([]);
  for (const path of scene.webhooks.keys()) {
    const own = deliveries.filter(({ url }) => url === receiver.url + path);
    const arrived = receiver.idsAt(path);
    expect(accepted.filter(({ id }) => !arrived.has(id))).toEqual([]);
    expect(own.map(({ event_id, id }) => `${String(event_id)} ${String(id)}`).toSorted()).toEqual(
      accepted.map(({ name, id }) => `${name} ${id}`).toSorted(),
    );
    const failed = path === FAILING_PATH ? mustFail : [];
    const { ledger, failureWindow } = await show(server, scene, path);
    expect(ledger).toEqual({
      accepted: accepted.length,
      delivered: accepted.length - failed.length,
      pending: 0,
      held: 0,
      failed: failed.length,
      discarded: 0,
    });
    expect(failureWindow?.failures ?? 0).toBe(failed.length);
    const inState = (state: string) => own.filter((one) => one['state'] === state);
    expect(inState('delivered')).toHaveLength(ledger.delivered);
    const ids = new Set(failed.map(({ id }) => id));
    expect(
      inState('failed').filter(({ id, made }) => !ids.has(String(id)) || Number(made) !== policy.attempts),
    ).toEqual([]);
    expect(inState('failed')).toHaveLength(ledger.failed);
  }
}
