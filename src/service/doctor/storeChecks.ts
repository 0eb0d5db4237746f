import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DAY, SECOND } from '../../foundation/clock.ts';
import { counted } from '../../foundation/text/counted.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { StoreReport } from '../../store/inspectStore.ts';
import { inspectStore } from '../../store/inspectStore.ts';
import type { StoreLocation } from '../../store/store.ts';
import { marksOf } from '../files/installationMark.ts';
import { dataFolder, describeLocation, storeLocation } from '../files/storeLocation.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip, warn } from './diagnosis.ts';

const MIB = 1024 * 1024;
const CLOCK_OFF_MS = 2 * SECOND;
/** Longer than any start of a container takes. */
const BACK_MS = 60 * SECOND;

export function checkDisk(settings: Settings): Diagnosis {
  const folder = dataFolder(settings);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  const text = `${free} MiB are free in ${folder}; below ${settings.diskWatermarkMib} MiB nothing new is accepted.`;
  if (free < settings.diskWatermarkMib) return fail('disk', text, 'Free space on this disk, or move the data folder.');
  return free < settings.diskWatermarkMib * 2
    ? warn('disk', text, 'Free space on this disk soon.')
    : pass('disk', text);
}

export interface InspectedStore {
  readonly finding: Diagnosis;
  readonly report: StoreReport | undefined;
}

/** What to say about a store that is missing or empty. Its lock, its log, its key or the mark of the folder shows that there was one. */
function missingStore({ kind, at }: StoreLocation, place: string, folder: string, isServerRunning: boolean): Diagnosis {
  if (kind === 'postgres') return missingTables(place, folder);
  const gone = `${at} is ${existsSync(at) ? 'empty' : 'gone'}.`;
  if (isServerRunning)
    return fail(
      'store',
      `${gone} The server that runs here refuses changes.`,
      'Put the file back, and the server continues. If it is lost, stop the server, restore a backup with steward restore, and start it.',
    );
  const rest = [`${at}-wal`, `${at}.lock`, ...marksOf(dirname(at))].find((file) => existsSync(file));
  if (rest === undefined) return skip('store', `There is no store at ${place} yet.`, 'steward serve creates it.');
  return fail(
    'store',
    `${gone} There was a store: ${rest} is still there.`,
    'Put the file back, or restore a backup with steward restore, before you start Steward.',
  );
}

function missingTables(place: string, folder: string): Diagnosis {
  const mark = marksOf(folder).find((file) => existsSync(file));
  if (mark === undefined) return skip('store', `There is no store in ${place} yet.`, 'steward serve creates it.');
  return fail(
    'store',
    `${place} is empty. There was a store: ${mark} is there.`,
    'Check that STEWARD_STORE names the right database, and restore a backup of it before you start Steward.',
  );
}

export async function checkStore(settings: Settings, isServerRunning: boolean): Promise<InspectedStore> {
  const location = storeLocation(settings);
  const place = describeLocation(location);
  try {
    const report = await inspectStore(location);
    if (report === undefined)
      return { report, finding: missingStore(location, place, dataFolder(settings), isServerRunning) };
    return { report, finding: storeFinding(report, place) };
  } catch (error) {
    const todo =
      location.kind === 'sqlite'
        ? 'Check the data folder (--data). If the file is damaged, restore a backup with steward restore.'
        : 'Check STEWARD_STORE, the network, and that the database server runs.';
    return { report: undefined, finding: fail('store', `${place} cannot be read: ${sentence(reasonOf(error))}`, todo) };
  }
}

/** The nouns of tables that are not called by their singular, or whose plural is not regular. */
const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  audit: ['audit entry', 'audit entries'],
  delivery: ['delivery', 'deliveries'],
};

function countedRows(table: string, n: number): string {
  const [one = table, many] = NOUNS[table] ?? [];
  return counted(n, one, many);
}

function storeFinding(report: StoreReport, place: string): Diagnosis {
  const { damage, level, ownLevel, differences = [], rows, version, unsafeSettings } = report;
  if (damage !== undefined)
    return fail('store', `${place} is damaged: ${damage}.`, 'Stop Steward, and restore a backup with steward restore.');
  if (level > ownLevel + 1)
    return fail(
      'store',
      `${place} is at schema level ${level}; this release works on ${ownLevel} and ${ownLevel + 1}.`,
      'Start a newer release of Steward.',
    );
  if (differences.length > 0)
    return fail(
      'store',
      `The schema of ${place} is not the one that its migrations make. It ${differences.join('; ')}.`,
      `Start the version that it was last used with (${version ?? 'unknown'}), or restore a backup. If the schema was changed by hand, undo that.`,
    );
  const counts = Object.entries(rows).map(([table, n]) => countedRows(table, n));
  const next = level < ownLevel ? ` The next start migrates it from schema level ${level} to ${ownLevel}.` : '';
  const by = version === undefined ? '' : ` Steward ${version} was started on it last.`;
  const text = `${place} can be read: ${counts.join(', ')}.${by}${next}`;
  if (unsafeSettings.length === 0) return pass('store', text);
  const off = unsafeSettings.map((name) => `${name} = off`).join(' and ');
  return warn(
    'store',
    `${text} The database server runs with ${off}: after a crash of its machine, what was acknowledged may be lost.`,
    `Set ${unsafeSettings.map((name) => `${name} = on`).join(' and ')} in postgresql.conf.`,
  );
}

/** Compares the clock of this machine with that of the database, or with what was written last. */
export function checkClock(report: StoreReport | undefined, now: number): Diagnosis {
  const todo = 'Synchronise the clock of this machine, for example with chrony.';
  if (report === undefined) return skip('clock', 'There is nothing to compare the clock with.');
  const { databaseTime, newestAt } = report;
  if (databaseTime !== undefined) {
    const off = Math.abs(now - databaseTime);
    const text = `This clock and that of the database differ by ${(off / SECOND).toFixed(1)} s.`;
    return off > CLOCK_OFF_MS ? warn('clock', text, todo) : pass('clock', text);
  }
  if (newestAt !== undefined && newestAt > now + BACK_MS)
    return fail(
      'clock',
      `The newest audit entry is from ${new Date(newestAt).toISOString()}, ${counted(Math.round((newestAt - now) / DAY), 'day')} in the future.`,
      todo,
    );
  return pass('clock', `It is ${new Date(now).toISOString()} on this machine, after the newest audit entry.`);
}
