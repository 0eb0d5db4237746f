// `steward prove`: tests the promises on the user's own machine. It starts replicas of this program, puts load on them, kills and
// freezes them, restarts the database, and counts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECOND } from '../../foundation/clock.ts';
import { counted } from '../../foundation/text/counted.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { Streams } from '../remote/streams.ts';
import { fitText } from '../output/displayWidth.ts';
import type { ProofOptions } from './proofRun.ts';
import { proveDeliveries } from './proveDeliveries.ts';
import { proveUpgrades } from './proveUpgrades.ts';
import type { ProofReport } from './report.ts';
import { reportText } from './report.ts';
import { STALL_LIMITS_MS, secondsText } from './stall.ts';

/** The flags as typed. */
export interface ProveFlags {
  readonly seconds?: string;
  readonly replicas?: string;
  readonly store?: string;
  readonly seed?: string;
  readonly restartDatabase?: string;
  readonly maxStall?: string;
  readonly report?: string;
  readonly json?: true;
  readonly quiet?: true;
}

const SUBJECTS = { deliveries: proveDeliveries, upgrades: proveUpgrades } as const;
/** What must hold, besides the limit of a stall. */
const LIMITS = {
  deliveries: 'No accepted event is lost, and only attempts in flight at a fault are repeated.',
  upgrades: 'Every job succeeds, reports its end once, and opens the system again.',
} as const;
const ERASE = '\r\u001b[2K';
const LINE_EVERY = 10;

function readNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw new CommandFailure('usage', `${flag} must be a whole number from ${min} to ${max}, not "${text}".`);
}

function readOptions(
  subject: ProofReport['subject'],
  { seconds = '180', replicas, store = 'sqlite', seed, restartDatabase, maxStall }: ProveFlags,
): ProofOptions {
  const isEmbedded = store === 'sqlite';
  if (!isEmbedded && !/^postgres(ql)?:\/\//.test(store))
    throw new CommandFailure('usage', '--store must be the postgres:// address of an empty database.');
  if (isEmbedded && restartDatabase !== undefined)
    throw new CommandFailure('usage', '--restart-database needs --store postgres://….');
  if (isEmbedded && replicas !== undefined && replicas !== '1')
    throw new CommandFailure(
      'usage',
      'The embedded store has one process. Several replicas need --store postgres://….',
    );
  return {
    seconds: readNumber('--seconds', seconds, 10, 86_400),
    replicas: isEmbedded ? 1 : readNumber('--replicas', replicas ?? '3', 1, 10),
    store,
    seed: seed === undefined ? Math.floor(Math.random() * 1_000_000) : readNumber('--seed', seed, 0, 4_294_967_295),
    restartDatabase,
    maxStallMs:
      maxStall === undefined ? STALL_LIMITS_MS[subject] : readNumber('--max-stall', maxStall, 1, 3600) * SECOND,
  };
}

/** Draws the score on one line of a terminal, and prints a line now and then elsewhere. */
function createScore({ width, printError }: Streams, isQuiet: boolean) {
  let count = 0;
  return {
    score(text: string): void {
      count += 1;
      if (isQuiet) return;
      if (width !== undefined) printError(ERASE + fitText(text, width - 1));
      else if (count % LINE_EVERY === 0) printError(`${text}\n`);
    },
    clear(): void {
      if (!isQuiet && width !== undefined) printError(ERASE);
    },
  };
}

function writeReport(file: string, report: ProofReport): void {
  try {
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw new CommandFailure('usage', `--report: ${reasonOf(error)}`);
  }
}

/** Proves the promises about deliveries or upgrades. */
export async function prove(subject: string, flags: ProveFlags, streams: Streams): Promise<Exit> {
  if (subject !== 'deliveries' && subject !== 'upgrades')
    throw new CommandFailure('usage', `<what> must be deliveries or upgrades, not "${subject}".`);
  const options = readOptions(subject, flags);
  const isQuiet = flags.quiet === true || flags.json === true;
  const score = createScore(streams, isQuiet);
  const what =
    options.store === 'sqlite'
      ? 'one process on the embedded store'
      : `${counted(options.replicas, 'replica')} on PostgreSQL`;
  if (!isQuiet)
    streams.printError(
      `Testing ${subject} for ${options.seconds} s: ${what}, seed ${options.seed}. ${LIMITS[subject]} No stall above ${secondsText(options.maxStallMs)} while a replica can work.\n`,
    );
  const folder = mkdtempSync(join(tmpdir(), 'steward-prove-'));
  try {
    const report = await SUBJECTS[subject]({ options, folder, streams: score });
    score.clear();
    if (flags.report !== undefined) writeReport(flags.report, report);
    if (flags.json === true) streams.print(`${JSON.stringify(report, null, 2)}\n`);
    else streams.print(reportText(report));
    return report.broken.length === 0 ? 'done' : 'badOutcome';
  } finally {
    score.clear();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
