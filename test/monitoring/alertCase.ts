// For each alert: series with which it fires, at a moment that `for` allows, and similar ones with which it does not. The notation of
// values is that of promtool: `1x9` is ten times 1, one for each minute, and `0+3x9` rises by 3 every minute.

interface Situation {
  readonly series: Readonly<Record<string, string>>;
  /** Minutes after the start of the series. */
  readonly at: number;
}

export interface AlertCase {
  readonly alert: string;
  readonly fires: Situation & {
    readonly labels: Readonly<Record<string, string>>;
    /** The description with its values filled in. */
    readonly description: string;
  };
  /** Situations in which it does not fire; one of them is just below the limit or too short. */
  readonly quiet: readonly Situation[];
}

export const ONE = 'job="steward",instance="a"';
export const OTHER = 'job="steward",instance="b"';
export const REPLICA = { job: 'steward', instance: 'a' };
export const JOB = { job: 'steward' };
export const MIB = 1024 * 1024;

/** The same value for a number of minutes. */
export function steady(value: number, minutes = 120): string {
  return `${value}x${minutes}`;
}
