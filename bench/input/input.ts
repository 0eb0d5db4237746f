// `npm run bench -- input`: how long the event loop stands still for each hostile input, and whether twice the size costs more than
// about twice as much. The figure is the longest time that another request waits at that time, in the best of some rounds.
import type { HostileInput } from '../../test/support/server/hostileInputs.ts';
import { HOSTILE_INPUTS } from '../../test/support/server/hostileInputs.ts';
import type { PartResult } from '../harness/benchmark.ts';
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { startHealthProbe } from '../harness/load/healthProbe.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { best } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { startSteward } from '../harness/processes/steward.ts';
import { workFolder } from '../harness/processes/workspace.ts';

const ROUNDS = 4;
/** Twice is linear, four times is quadratic. */
const GROWTH_AT_MOST = 3;
/** Below this, the wait is that of any request and says nothing about growth. */
const GROWTH_COUNTS_FROM_MS = 15;

type Probe = ReturnType<typeof startHealthProbe>;

interface Figures {
  readonly name: string;
  readonly atMostMs: number;
  readonly halfMs: number;
  readonly fullMs: number;
}

async function stallMs(steward: Steward, probe: Probe, input: HostileInput, bytes: number): Promise<number> {
  const { path, contentType, body } = input;
  const headers = { 'content-type': contentType, authorization: `Bearer ${steward.token}` };
  const content = new Uint8Array(body(bytes, steward.token));
  await probe.ask(undefined);
  const answer = await (await fetch(`${steward.url}${path}`, { method: 'POST', headers, body: content })).text();
  if (/too large|token/i.test(answer)) throw new Error(`${input.name} was refused before it was read: ${answer}`);
  return probe.ask(undefined);
}

async function measure(steward: Steward, probe: Probe, input: HostileInput): Promise<Figures> {
  const [half, full]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    half.push(await stallMs(steward, probe, input, input.maxBytes / 2));
    full.push(await stallMs(steward, probe, input, input.maxBytes));
  }
  return { name: input.name, atMostMs: input.stallMs, halfMs: best(half), fullMs: best(full) };
}

function growthOf({ halfMs, fullMs }: Figures): number {
  return fullMs < GROWTH_COUNTS_FROM_MS ? 0 : fullMs / halfMs;
}

async function measureKind(kind: string): Promise<PartResult> {
  progress(`${kind} …`);
  const steward = await startSteward(workFolder(), { STEWARD_LOG_LEVEL: 'warn' });
  const probe = startHealthProbe(`${steward.url}/healthz`);
  const figures: Figures[] = [];
  for (const input of HOSTILE_INPUTS.filter(({ name }) => name.startsWith(`${kind}: `)))
    figures.push(await measure(steward, probe, input));
  await Promise.all([probe.end(), steward.end()]);
  return {
    bars: figures.flatMap((one) => [
      { name: one.name, measured: one.fullMs, atMost: one.atMostMs, unit: 'ms' },
      ...(growthOf(one) === 0
        ? []
        : [{ name: `${one.name}, twice the size`, measured: growthOf(one), atMost: GROWTH_AT_MOST, unit: 'x' }]),
    ]),
    print: () => {
      say(`\n${row(`${kind}: longest stall`, 'half', 'full')}`);
      for (const { name, halfMs, fullMs } of figures)
        say(row(name, `${halfMs.toFixed(1)} ms`, `${fullMs.toFixed(1)} ms`));
    },
  };
}

const KINDS = [...new Set(HOSTILE_INPUTS.map(({ name }) => name.split(':', 1)[0] ?? ''))];
const parts = chosenParts('input', KINDS);
const measures = Object.fromEntries(KINDS.map((kind) => [kind, () => measureKind(kind)]));

await benchmark('input', () => measureParts(parts, measures, 'ifMissed'));
