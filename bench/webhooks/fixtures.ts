import type { Installations } from '../harness/processes/installations.ts';
import { createInstallations } from '../harness/processes/installations.ts';
import type { SentRequest } from '../harness/load/openLoop.ts';
import { startOpenLoop } from '../harness/load/openLoop.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { labelOf } from '../../src/model/serviceKey.ts';
import { startBacklog } from './backlog.ts';
import { EVENT, payloadOf, serviceOf } from './events.ts';

/** The installations and the processes that all parts share. */
export interface Fixtures extends Installations {
  readonly backlog: ReturnType<typeof startBacklog>;
  readonly openLoop: ReturnType<typeof startOpenLoop>;
}

export function openFixtures(): Fixtures {
  const [backlog, openLoop, installations] = [startBacklog(), startOpenLoop(), createInstallations()];
  return {
    ...installations,
    backlog,
    openLoop,
    async end() {
      await Promise.all([backlog.end(), openLoop.end(), installations.end()]);
    },
  };
}

const servicePath = (n: number): string => `/services/${labelOf(serviceOf(n))}`;
export const eventsPath = (n: number): string => `${servicePath(n)}/events`;

/** Creates a service with one webhook. */
export async function subscribe(steward: Steward, n: number, origin: string, active = true): Promise<void> {
  const { name, type } = serviceOf(n);
  await steward.post('/services/createService', { serviceName: name, type });
  const webhook = { name: 'bench', hookUrl: `${origin}/`, active: String(active) };
  await steward.post(`${servicePath(n)}/webhooks/create`, webhook);
}

/** Creates a service with one webhook for each origin. */
export async function subscribeAll(steward: Steward, origins: readonly string[]): Promise<void> {
  for (const [n, origin] of origins.entries()) await subscribe(steward, n, origin);
}

/** The fields of an event, besides the token. */
export function eventForm(n: number): Readonly<Record<string, string>> {
  return { f: 'json', event: EVENT, payload: payloadOf(n) };
}

/** Sends one event at a time. `order` has the number of the service of each. */
export function sendEvents(
  { openLoop }: Fixtures,
  { url, token }: Steward,
  { order, perSecond }: { readonly order: readonly number[]; readonly perSecond: number },
): Promise<readonly SentRequest[]> {
  return openLoop.ask({
    kind: 'send',
    origin: url,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    requests: Array.from({ length: Math.max(...order) + 1 }, (_, n) => ({
      path: `/admin${eventsPath(n)}`,
      body: new URLSearchParams(eventForm(n)).toString(),
    })),
    order,
    perSecond,
  });
}
