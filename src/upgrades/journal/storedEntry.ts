import type { Entry } from './entry.ts';

/** A wait as builds before version 0.1.0 wrote it: they reported it once a minute, and not after 10 s. */
interface EarlierWaited extends Omit<Entry<'waited'>, 'report'> {
  readonly minute: number;
}

/** An entry as this version or an earlier build wrote it. Other fields that earlier builds lack are optional or not read again. */
export type StoredEntry = Entry | EarlierWaited;

/** Reads an entry of the store in the shape of this version. */
export function entryOf(stored: StoredEntry): Entry {
  if (!('minute' in stored)) return stored;
  const { minute, ...entry } = stored;
  return { ...entry, report: minute + 1 };
}
