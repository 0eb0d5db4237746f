import type { Faults } from './faults.ts';
import type { ProofOptions } from './proofRun.ts';

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
  readonly figures: Readonly<Record<string, number>>;
  /** Broken promises; empty if all were kept. */
  readonly broken: readonly string[];
}

type Outcome = Pick<ProofReport, 'figures' | 'broken' | 'longestStallMs'>;

export function reportOf(
  subject: ProofReport['subject'],
  { seed, seconds, replicas, store }: ProofOptions,
  faults: Faults,
  outcome: Outcome,
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
    ...outcome,
  };
}

export function reportText({
  figures,
  broken,
  kills,
  freezes,
  databaseRestarts,
  longestStallMs,
  seed,
}: ProofReport): string {
  const counts = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(28)}${value}\n`);
  const faults = `  ${'kill -9'.padEnd(28)}${kills}\n  ${'frozen past the lease'.padEnd(28)}${freezes}\n  ${'database restarts'.padEnd(28)}${databaseRestarts}\n`;
  const stall = `  ${'longest stall'.padEnd(28)}${(longestStallMs / 1000).toFixed(1)} s\n`;
  const verdict =
    broken.length === 0
      ? 'All promises were kept.\n'
      : `Broken promises:\n${broken.map((one) => `  ${one}\n`).join('')}Run it again with --seed ${seed}, and report it with the output of steward doctor --bundle.\n`;
  return `${counts.join('')}${faults}${stall}\n${verdict}`;
}
