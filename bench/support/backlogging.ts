// Fills a store through Steward's own areas, with no courier running, and measures claims on it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AboutBacklog } from './backlog.ts';
import { EVENT, payloadOf, scopeOf } from './events.ts';
import { answerQuestions } from './helper.ts';
import type { Place } from './places.ts';

const AT_ONCE = 1000;
const [dist = ''] = process.argv.slice(2);

interface Claimed {
  readonly delivery: number;
  readonly fence: number;
}

/** What is used here of what is built. */
interface WebhookStore {
  dueTimes(): Promise<ReadonlyMap<number, number>>;
  claim(wanted: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly owner: string;
    readonly pacePerSecond: number;
    readonly quotas: readonly { readonly number: number; readonly limit: number }[];
  }): Promise<{ readonly claimed: readonly Claimed[] }>;
  returnClaims(claimed: readonly Claimed[], dueAt: number): Promise<void>;
}
interface Store {
  readonly webhooks: WebhookStore;
  readonly jobs: unknown;
  close(): Promise<void>;
}
interface Webhooks {
  create(by: unknown, scope: unknown, details: object, secrets: object): Promise<unknown>;
  publish(scope: unknown, events: readonly object[]): Promise<unknown>;
}
interface Built {
  openStore(place: object, needs: object): Promise<Store>;
  createWebhooks(needs: object): Webhooks;
  createSealer(keys: readonly Buffer[]): unknown;
  ensureMasterKeys(folder: string, configured: undefined): readonly Buffer[];
  localActor(name: string): unknown;
  readonly systemClock: { now(): number };
  readonly silentLog: unknown;
}

async function load(): Promise<Built> {
  const files = ['store/store', 'webhooks/webhooks', 'foundation/sealer', 'service/files/masterKey'];
  const words = ['model/actor', 'foundation/clock', 'foundation/log'];
  const modules: unknown[] = await Promise.all(
    [...files, ...words].map((file) => import(pathToFileURL(join(dist, `${file}.js`)).href) as Promise<unknown>),
  );
  return Object.assign({}, ...modules) as Built;
}

const built = await load();
const { systemClock: clock, silentLog: log } = built;

async function open({ data, postgres }: Place): Promise<Store> {
  mkdirSync(data, { recursive: true });
  const place =
    postgres === undefined
      ? { kind: 'sqlite', at: join(data, 'steward.db'), connections: 1 }
      : { kind: 'postgres', at: postgres, connections: 10 };
  return built.openStore(place, { clock, log });
}

function areaOf(store: Store, data: string): Webhooks {
  return built.createWebhooks({
    store: store.webhooks,
    jobs: store.jobs,
    receiver: { problemWith: () => Promise.resolve(undefined) },
    sealer: built.createSealer(built.ensureMasterKeys(data, undefined)),
    clock,
    log,
    limits: { total: 1, perWebhook: 1 },
    pacePerSecond: 50,
    retentionDays: 30,
  });
}

async function createWebhook(webhooks: Webhooks, n: number, hookUrl: string): Promise<void> {
  const details = { active: true, changeTypes: ['*'], contentType: 'application/json' };
  await webhooks.create(
    built.localActor('bench'),
    scopeOf(n),
    { name: 'bench', hookUrl, ...details, signatureHeader: '', receiverSignals: false },
    { signatureKey: undefined, headers: {} },
  );
}

/** Spread over the webhooks in turns, as events come. */
async function publish(webhooks: Webhooks, howMany: number, events: number): Promise<void> {
  const perWebhook = Math.floor(events / howMany);
  for (let from = 0; from < perWebhook; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, perWebhook - from);
    const batch = Array.from({ length }, (_, i) => ({ type: EVENT, payload: payloadOf(from + i), eventId: undefined }));
    for (let n = 0; n < howMany; n += 1) await webhooks.publish(scopeOf(n), batch);
  }
}

/** Claims and releases, so that as much waits after each as before. Answers how long each claim took, in ms. */
async function claims({ webhooks }: Store, times: number, atOnce: number): Promise<readonly number[]> {
  const numbers = [...(await webhooks.dueTimes()).keys()];
  const limit = Math.floor(atOnce / numbers.length);
  const wanted = { owner: 'bench', pacePerSecond: 50, quotas: numbers.map((number) => ({ number, limit })) };
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const now = clock.now();
    const began = performance.now();
    const { claimed } = await webhooks.claim({ ...wanted, now, leaseUntil: now + 60_000 });
    took.push(performance.now() - began);
    if (claimed.length !== limit * numbers.length) throw new Error(`a claim got ${claimed.length} deliveries`);
    await webhooks.returnClaims(claimed, clock.now());
  }
  return took;
}

answerQuestions(async (question: AboutBacklog): Promise<readonly number[]> => {
  const store = await open(question.place);
  try {
    if (question.kind === 'claim') return await claims(store, question.times, question.atOnce);
    const webhooks = areaOf(store, question.place.data);
    if (question.isNew) for (const [n, url] of question.origins.entries()) await createWebhook(webhooks, n, `${url}/`);
    await publish(webhooks, question.origins.length, question.events);
    return [];
  } finally {
    await store.close();
  }
});
