// What a Steward costs beside a large deployment: its memory, and its requests by the parts of an upgrade.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { StewardProcess } from '../../server/stewardProcess.ts';
import { startSteward } from '../../server/stewardProcess.ts';
import { UPGRADES } from '../../upgrades/upgradeServer.ts';
import type { AuditedRequest } from './auditLog.ts';
import { describeRequests } from './requestCount.ts';

/** The control plane has little to share with a test that asks all the time. */
export const ASK_EVERY_MS = 1000;

/** When each part began. The last one is the end. */
export type Marks = readonly (readonly [string, number])[];

/** The largest resident memory of a process so far, in MB. */
export function peakMemory({ pid }: StewardProcess): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** The memory of a server that has no deployment. */
export async function memoryWithoutDriver(data: string): Promise<number> {
  const steward = await startSteward({ data });
  await steward.token();
  const memory = peakMemory(steward);
  await steward.end('SIGTERM');
  return memory;
}

/** The status of the job, when it has ended. */
export async function untilEnded(steward: StewardProcess, token: string) {
  const status = async () => (await steward.must(UPGRADES, { token })).status;
  await expect
    .poll(async (): Promise<string> => (await status()).state, { interval: ASK_EVERY_MS })
    .not.toMatch(/in_progress|rolling_back/);
  return status();
}

export function requestsBetween(
  { marks, requests }: { readonly marks: Marks; readonly requests: readonly AuditedRequest[] },
  first: string,
  last: string,
): readonly AuditedRequest[] {
  const at = (name: string): number => marks.find(([one]) => one === name)?.[1] ?? Number.NaN;
  return requests.filter(({ from }) => from >= at(first) && from < at(last));
}

interface Measured {
  readonly marks: Marks;
  readonly requests: readonly AuditedRequest[];
  readonly memory: number;
  readonly plainMemory: number;
}

/** What a person compares with the last run. */
export function report(what: string, measured: Measured): string {
  const { marks, memory, plainMemory } = measured;
  const parts = marks.slice(0, -1).map(([name, from], n) => {
    const [next = '', to = from] = marks[n + 1] ?? [];
    return `${name}: ${((to - from) / 1000).toFixed(1)} s\n${describeRequests(requestsBetween(measured, name, next))}`;
  });
  const all = `memory ${memory.toFixed(0)} MB, of which ${plainMemory.toFixed(0)} MB without the driver`;
  return `${what}, ${all}\n${parts.join('\n')}\n`;
}
