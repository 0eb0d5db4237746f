// The frame of every benchmark: runs it, or those of its parts that the command line names, prints the bars and the
// verdict, and ends the process with the exit code.
import { watchOtherPrograms } from './measure/otherPrograms.ts';
import type { Bar } from './measure/report.ts';
import { isMissed, printBars, progress, say } from './measure/report.ts';
import { cleanUpOnExit } from './processes/workspace.ts';
import { hasWrk } from './load/wrk.ts';

export interface Result {
  readonly bars: readonly Bar[];
  /** Why the figures are worthless, if they are. */
  readonly noise?: string | undefined;
}

/** The result of one part, and how to print its figures. */
export interface PartResult extends Result {
  print(): void;
}

/** Prints the last line and returns the exit code. */
function verdict(name: string, { bars, noise }: Result): number {
  if (noise !== undefined) {
    say(`${name}: too noisy: ${noise}; run it again`);
    return 3;
  }
  const missed = bars.filter(isMissed);
  say(missed.length === 0 ? `${name}: ok` : `${name}: FAILED: ${missed.map((bar) => bar.name).join(', ')}`);
  return missed.length === 0 ? 0 : 1;
}

/** Runs a benchmark and exits. */
export async function benchmark(name: string, run: () => Promise<Result>): Promise<never> {
  if (!hasWrk()) {
    progress("The load comes from wrk: install Debian's wrk.");
    process.exit(2);
  }
  cleanUpOnExit();
  try {
    const result = await run();
    printBars(result.bars);
    process.exit(verdict(name, result));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    progress(reason);
    say(`${name}: FAILED: ${reason.split('\n', 1)[0]}`);
    process.exit(1);
  }
}

/** Returns the parts that the command line names after the benchmark, or all of them. */
export function chosenParts<Part extends string>(benchmarkName: string, parts: readonly Part[]): readonly Part[] {
  const named = process.argv.slice(3);
  const unknown = named.filter((name) => !parts.some((part) => part === name));
  if (unknown.length > 0) {
    progress(`npm run bench -- ${benchmarkName} [${parts.join('] [')}]; there is no ${unknown.join(', ')}`);
    process.exit(2);
  }
  return named.length === 0 ? parts : parts.filter((part) => named.includes(part));
}

/**
 * Measures one part after the other, and prints each when it is done. Load of other programs is noise: `always`, or only
 * where a bar is missed, if it cannot make the figures look better.
 */
export async function measureParts<Part extends string>(
  parts: readonly Part[],
  measures: Readonly<Record<Part, () => Promise<PartResult>>>,
  otherLoadIsNoise: 'always' | 'ifMissed',
): Promise<Result> {
  const results: Result[] = [];
  for (const part of parts) {
    const otherLoad = watchOtherPrograms();
    const { bars, noise: own, print } = await measures[part]();
    const counts = otherLoadIsNoise === 'always' || bars.some(isMissed);
    const noise = own ?? (counts ? otherLoad() : undefined);
    print();
    results.push({ bars, noise: noise === undefined ? undefined : `${part}: ${noise}` });
  }
  return {
    bars: results.flatMap(({ bars }) => bars),
    noise: results.find(({ noise }) => noise !== undefined)?.noise,
  };
}
