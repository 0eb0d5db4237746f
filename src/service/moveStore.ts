// `steward move-store`: reads the two places, and prints what `store/move` reports.
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SECOND, systemClock } from '../foundation/clock.ts';
import { createCloseStack } from '../foundation/flow/closeStack.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import { silentLog } from '../foundation/log.ts';
import type { TableContent } from '../store/move/compareTable.ts';
import { openSource, openTarget } from '../store/move/moveEngines.ts';
import type { MoveReport, MoveResult } from '../store/move/moveStore.ts';
import { moveStore as copyStore } from '../store/move/moveStore.ts';
import type { StoreLocation } from '../store/store.ts';
import { describeLocation } from './files/storeLocation.ts';
import { readStore } from './settings/settingReaders.ts';

export interface MovePlaces {
  readonly from: string;
  readonly to: string;
}

type Print = (text: string) => void;
type Flag = '--from' | '--to';

const CONNECTIONS = 2;
const REPORT_EVERY_MS = 2 * SECOND;
const SHOWN_OF_CHECKSUM = 16;

/** Returns the folder that a flag names. That of the target is created if it is missing. */
function folderOf(flag: Flag, given: string): string {
  const folder = resolve(given);
  try {
    if (flag === '--to') mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // It is reported in the same words as a file.
  }
  throw new StewardError('invalid', `${flag}: ${folder} is not a folder. Name the data folder of Steward.`);
}

/** Reads a data folder or an address of PostgreSQL. */
function placeOf(flag: Flag, given: string): StoreLocation {
  if (/^[a-z]+:\/\//i.test(given)) {
    if (readStore(given).kind === 'valid') return { kind: 'postgres', at: given, connections: CONNECTIONS };
    throw new StewardError(
      'invalid',
      `${flag} must be a data folder, or an address such as postgres://user@host/database.`,
    );
  }
  return { kind: 'sqlite', at: join(folderOf(flag, given), 'steward.db'), connections: 1 };
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

function describeContent({ rows, checksum }: TableContent): string {
  return `${counted(rows)} rows ${checksum.slice(0, SHOWN_OF_CHECKSUM)}`;
}

/** Prints a line when a table is complete, and every two seconds within a large one. */
function createReport(print: Print): MoveReport {
  let shownAt = systemClock.now();
  return {
    begin: (isResumed) => print(isResumed ? 'The move goes on where it stopped.\n' : 'The move begins.\n'),
    copied({ table, copied, isCopied }, total) {
      const now = systemClock.now();
      if (!isCopied && now - shownAt < REPORT_EVERY_MS) return;
      shownAt = now;
      print(`  ${table}: ${counted(copied)} of ${counted(total)} rows copied\n`);
    },
    compared({ table, source, target, isEqual }) {
      const verdict = isEqual ? 'equal' : 'different';
      print(`  ${table}: source ${describeContent(source)}, target ${describeContent(target)}: ${verdict}\n`);
    },
    copyAgain: (table) => print(`  ${table}: the source was changed after an earlier run; copying it again\n`),
  };
}

/** Says what to do with the two stores after the move. */
function closingText({ comparisons }: MoveResult, from: StoreLocation, to: StoreLocation): string {
  const rows = comparisons.reduce((sum, { source }) => sum + source.rows, 0);
  const key = from.kind === 'sqlite' ? join(from.at, '..', 'master.key') : 'master.key in the data folder';
  const start = to.kind === 'postgres' ? 'STEWARD_STORE=<the address of --to>' : `STEWARD_DATA=${join(to.at, '..')}`;
  return [
    `The move is complete: ${counted(rows)} rows in ${comparisons.length} tables are equal on both sides.`,
    '',
    'What to do next:',
    `  1. Keep the master key (${key}, unless STEWARD_MASTER_KEY_FILE names another file). The secrets in the new store are`,
    '     sealed with it. Give every replica a copy, and name it in STEWARD_MASTER_KEY_FILE.',
    `  2. Start Steward on the new store: ${start} steward serve`,
    '  3. Do not start Steward on the old store again: webhooks would be sent twice. It is unchanged. Delete it when the new one',
    '     has proved itself and has a backup.',
    '',
  ].join('\n');
}

/** Copies the whole store to an empty one. Can be ended at any moment and run again. */
export async function moveStore({ from, to }: MovePlaces, print: Print): Promise<void> {
  const [source, target] = [placeOf('--from', from), placeOf('--to', to)];
  if (source.at === target.at) throw new StewardError('invalid', '--from and --to name the same store.');
  const closeStack = createCloseStack(silentLog);
  const options = { log: silentLog, closeStack };
  let hasBegun = false;
  try {
    const opened = { ...(await openSource(source, options)), target: await openTarget(target, options) };
    hasBegun = true;
    print(`From ${describeLocation(source)}\nTo   ${describeLocation(target)}\n`);
    const more = { from: describeLocation(source), clock: systemClock, report: createReport(print) };
    const result = await copyStore({ ...opened, ...more });
    if (result.completedBefore !== undefined)
      print(`This move was completed before, on ${new Date(result.completedBefore).toISOString()}.\n`);
    print(closingText(result, source, target));
  } catch (error) {
    if (!hasBegun || !(error instanceof StewardError) || error.code !== 'unavailable') throw error;
    throw new StewardError(
      'unavailable',
      `The move stopped: ${reasonOf(error.cause ?? error)}. Correct the cause and run the same command again; it continues where it stopped.`,
      { cause: error },
    );
  } finally {
    await closeStack.close();
  }
}
