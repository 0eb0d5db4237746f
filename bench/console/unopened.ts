// The part `unopened`: the start and the memory of a server whose console is never opened, compared with a copy of the program
// that has no files of the console.
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PartResult } from '../harness/benchmark.ts';
import { cpuMicroseconds, residentMb } from '../harness/measure/processUsage.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { best, median } from '../harness/measure/statistics.ts';
import { startSteward } from '../harness/processes/steward.ts';
import { PROJECT, workFolder } from '../harness/processes/workspace.ts';

const ROUNDS = 15;
const RATIO_AT_MOST = 1.02;

interface Starts {
  readonly name: string;
  readonly program: string;
  readonly folder: string;
  /** CPU time from the start of the process until it is ready, which other programs disturb less than the time on the clock. */
  readonly cpuMs: number[];
  readonly mb: number[];
}

/** Copies the program. Both are copies, so that both read their files from the same place. */
function copyProgram(name: string, hasConsole: boolean): Starts {
  const folder = join(workFolder(), name);
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  cpSync(join(PROJECT, 'dist'), dist, {
    recursive: true,
    filter: (path) => hasConsole || basename(path) !== 'console',
  });
  return { name, program: join(dist, 'steward.js'), folder, cpuMs: [], mb: [] };
}

async function startOnce({ folder, program, cpuMs, mb }: Starts): Promise<void> {
  const steward = await startSteward(folder, {}, program);
  cpuMs.push(cpuMicroseconds(steward.pid) / 1000);
  mb.push(residentMb(steward.pid));
  await steward.end();
}

function print(all: readonly Starts[]): void {
  say(`\nStarts on an existing store, ${ROUNDS} rounds\n`);
  say(row('program', 'CPU, least', 'median', 'MB, least', 'median'));
  for (const { name, cpuMs, mb } of all) {
    const times = [best(cpuMs), median(cpuMs)].map((ms) => `${ms.toFixed(0)} ms`);
    say(row(name, ...times, ...[best(mb), median(mb)].map((one) => `${one.toFixed(1)} MB`)));
  }
}

export async function measureUnopened(): Promise<PartResult> {
  const [unopened, without] = [copyProgram('unopened console', true), copyProgram('no console', false)];
  progress(`starting each of two programs ${ROUNDS + 1} times …`);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const one of [unopened, without]) await startOnce(one);
    // The first start creates the store.
    if (round === 0) for (const { cpuMs, mb } of [unopened, without]) cpuMs.length = mb.length = 0;
  }
  // Other programs only add CPU time, so the least is the best estimate. Memory depends on when the collector ran last, which
  // makes it smaller as often as larger.
  const start = best(unopened.cpuMs) / best(without.cpuMs);
  const memory = median(unopened.mb) / median(without.mb);
  return {
    bars: [
      { name: 'start with an unopened console', measured: start, atMost: RATIO_AT_MOST, unit: 'x' },
      { name: 'memory with an unopened console', measured: memory, atMost: RATIO_AT_MOST, unit: 'x' },
    ],
    print: () => print([unopened, without]),
  };
}
