import type { Backlog } from './backlog.ts';
import { startBacklog } from './backlog.ts';
import { EVENT, payloadOf, scopeOf } from './events.ts';
import type { OpenLoop } from './openLoop.ts';
import { startOpenLoop } from './openLoop.ts';
import type { Places } from './places.ts';
import { openPlaces } from './places.ts';
import type { Client } from './steward.ts';
import { post } from './steward.ts';

/** Where everything happens, and the processes that all parts share. */
export interface World extends Places {
  readonly backlog: Backlog;
  readonly openLoop: OpenLoop;
}

export function openWorld(project: string, folder: string): World {
  const [backlog, openLoop] = [startBacklog(project), startOpenLoop()];
  const places = openPlaces(project, folder);
  return {
    ...places,
    backlog,
    openLoop,
    async end() {
      backlog.end();
      openLoop.end();
      await places.end();
    },
  };
}

const nameOf = (n: number): string => `${scopeOf(n).name}.${scopeOf(n).type}`;

/** A service with one webhook. */
export async function subscribe({ url, token }: Client, n: number, hookUrl: string, active = true): Promise<void> {
  const { name, type } = scopeOf(n);
  const service = new URLSearchParams({ token, f: 'json', serviceName: name, type });
  await post(`${url}/admin/services/createService`, service);
  const webhook = new URLSearchParams({ token, f: 'json', name: 'bench', hookUrl, active: String(active) });
  await post(`${url}/admin/services/${nameOf(n)}/webhooks/create`, webhook);
}

export const eventsPath = (n: number): string => `/admin/services/${nameOf(n)}/events`;

/** What is sent for an event of this service, besides the token. */
export function eventForm(n: number): Readonly<Record<string, string>> {
  return { f: 'json', event: EVENT, payload: payloadOf(n) };
}

export function eventHeaders({ token }: Client): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-www-form-urlencoded' };
}

/** One event for each of so many services, to be sent in any order. */
export function eventRequests(services: number): readonly { readonly path: string; readonly body: string }[] {
  return Array.from({ length: services }, (_, n) => ({
    path: eventsPath(n),
    body: new URLSearchParams(eventForm(n)).toString(),
  }));
}

interface Page {
  readonly webhooks: readonly { readonly ledger: { readonly delivered: number; readonly failed: number } }[];
}

/** What the ledgers of the first 1000 webhooks say. */
export async function readLedgers({ url, token }: Client): Promise<{ delivered: number; failed: number }> {
  const form = new URLSearchParams({ token, f: 'json', num: '1000' });
  const { webhooks } = JSON.parse(await post(`${url}/admin/services/webhooks`, form)) as Page;
  const sum = { delivered: 0, failed: 0 };
  for (const { ledger } of webhooks) {
    sum.delivered += ledger.delivered;
    sum.failed += ledger.failed;
  }
  return sum;
}
