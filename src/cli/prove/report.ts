import type { Faults } from './faults.ts';
import type { ProofOptions } from './proofRun.ts';
import type { Stalls } from './stall.ts';
import { secondsText, stallProblems } from './stall.ts';

/** What `steward prove` reports, also as JSON. */
export interface ProofReport {
  readonly subject: 'deliveries' | 'upgrades';
  readonly seed: number;
  readonly seconds: number;
  readonly replicas: number;
  readonly store: 'sqlite' | 'postgres';
  readonly kills: number;
  readonly freezes: number;
  readonly databaseRestarts: number;
  /** The longest time without progress. */
  readonly longestStallMs: number;
  /** The longest time without progress in which a replica could work, and the limit of it. */
  readonly longestAvailableStallMs: number;
  readonly maxStallMs: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Broken promises; empty if all were kept. */
  readonly broken: readonly string[];
}

type Outcome = Pick<ProofReport, 'figures' | 'broken'>;

export function reportOf(
  subject: ProofReport['subject'],
  { seed, seconds, replicas, store, maxStallMs }: ProofOptions,
  faults: Faults,
  stalls: Stalls,
  { figures, broken }: Outcome,
): ProofReport {
  return {
    subject,
    seed,
    seconds,
    replicas,
    store: store === 'sqlite' ? 'sqlite' : 'postgres',
    kills: faults.kills(),
    freezes: faults.freezes(),
    databaseRestarts: faults.databaseRestarts(),
    ...stalls,
    maxStallMs,
    figures,
    broken: [...broken, ...stallProblems(stalls, maxStallMs)],
  };
}

export function reportText({
  figures,
  broken,
  kills,
  freezes,
  databaseRestarts,
  longestStallMs,
  longestAvailableStallMs,
  maxStallMs,
  seed,
}: ProofReport): string {
  const counts = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(28)}${value}\n`);
  const faults = `  ${'kill -9'.padEnd(28)}${kills}\n  ${'frozen past the lease'.padEnd(28)}${freezes}\n  ${'database restarts'.padEnd(28)}${databaseRestarts}\n`;
  const stall = `  ${'longest stall'.padEnd(28)}${secondsText(longestStallMs)}\n  ${'while a replica could work'.padEnd(28)}${secondsText(longestAvailableStallMs)} (at most ${secondsText(maxStallMs)})\n`;
  const verdict =
    broken.length === 0
      ? 'All promises were kept.\n'
      : `Broken promises:\n${broken.map((one) => `  ${one}\n`).join('')}Run it again with --seed ${seed}, and report it with the output of steward doctor --bundle.\n`;
  return `${counts.join('')}${faults}${stall}\n${verdict}`;
}
