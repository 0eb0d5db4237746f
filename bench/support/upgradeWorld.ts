import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Client } from './steward.ts';
import { post } from './steward.ts';

/** The version from which the deployment comes, and a release over it that touches every workload and needs no licence. */
const [FROM, TO] = ['pat_11.0.2187', 'rel_11.1'];
const LOOK_EVERY_MS = 250;

export interface Pace {
  readonly rolloutMs: number;
  readonly hookMs: number;
  readonly databaseMs: number;
}

interface Demo {
  readonly inventory: object;
  readonly versions: readonly { readonly id: string }[];
}

export interface Message {
  readonly code: number;
  readonly message: string;
  readonly when: number;
}

export interface Status {
  readonly status: { readonly state: string; readonly messages: readonly Message[] };
  readonly job: { readonly id: string; readonly startedAt: number; readonly endedAt: number | null };
}

export interface Plan {
  readonly canStart: boolean;
  readonly checks: readonly object[];
  readonly steps: readonly {
    readonly step: string;
    readonly estimateMs: number;
    readonly waves?: readonly (readonly { readonly workload: string }[])[];
  }[];
}

function form({ token }: Client, fields: Readonly<Record<string, string>>): FormData {
  const sent = new FormData();
  for (const [name, value] of Object.entries({ ...fields, token, f: 'json' })) sent.set(name, value);
  return sent;
}

function withFile(sent: FormData, name: string, content: unknown): FormData {
  sent.set(name, new Blob([JSON.stringify(content)], { type: 'application/json' }), `${name}.json`);
  return sent;
}

/** A simulated deployment of so many workloads that has never been upgraded, with this pace. */
export async function fillDeployment(project: string, steward: Client, count: number, pace: Pace): Promise<void> {
  const module = pathToFileURL(join(project, 'dist', 'demo', 'demoDeployment.js')).href;
  const { demoWorld } = (await import(module)) as { demoWorld(workloads: number): Demo };
  const { inventory, versions } = demoWorld(count);
  const at = `${steward.url}/admin`;
  await post(`${at}/demo/deployment/fill`, withFile(form(steward, {}), 'inventory', inventory));
  const said = Object.fromEntries(Object.entries(pace).map(([name, ms]) => [name, String(ms)]));
  await post(`${at}/demo/settings`, form(steward, said));
  const adopted = form(steward, { versionManifest: FROM, force: 'true' });
  await post(`${at}/system/upgrades/adopt`, withFile(adopted, 'versionManifestFile', versions));
}

const wish = (steward: Client): FormData => form(steward, { versionManifest: TO, upgradeSettings: '{}' });

export async function makePlan(steward: Client): Promise<Plan> {
  const plan = JSON.parse(await post(`${steward.url}/admin/system/upgrades/plan`, wish(steward))) as Plan;
  if (!plan.canStart) throw new Error(`the upgrade cannot start: ${JSON.stringify(plan.checks)}`);
  return plan;
}

/** How long each workload takes, as the deployment says. */
export async function expectedMs(steward: Client): Promise<ReadonlyMap<string, number>> {
  const answered = await post(`${steward.url}/admin/demo/deployment`, form(steward, {}));
  const { workloads } = JSON.parse(answered) as {
    readonly workloads: readonly { readonly name: string; readonly expectedMs: number }[];
  };
  return new Map(workloads.map((one) => [one.name, one.expectedMs]));
}

export async function startUpgrade(steward: Client): Promise<Status['job']> {
  return (JSON.parse(await post(`${steward.url}/admin/system/upgrades/upgrade`, wish(steward))) as Status).job;
}

async function readStatus(steward: Client): Promise<Status> {
  return JSON.parse(await post(`${steward.url}/admin/system/upgrades`, form(steward, {}))) as Status;
}

/** Looks rarely and at little, so that looking costs nothing. */
export async function succeeded(steward: Client, job: string): Promise<Status> {
  const at = `${steward.url}/admin/system/jobs?num=1&f=json`;
  for (;;) {
    const response = await fetch(at, { headers: { Authorization: `Bearer ${steward.token}` } });
    const { jobs } = (await response.json()) as {
      readonly jobs: readonly { readonly id: string; readonly state: string }[];
    };
    const state = jobs.find(({ id }) => id === job)?.state;
    if (state === 'success') return readStatus(steward);
    if (state !== 'in_progress')
      throw new Error(`the upgrade is ${state}: ${JSON.stringify(await readStatus(steward))}`);
    await sleep(LOOK_EVERY_MS);
  }
}
