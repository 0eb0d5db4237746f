import { HOUR, MINUTE, SECOND } from '../../foundation/clock.ts';
import type { Message } from '../../jobs/jobStore.ts';
import type { MessageName } from './messages.ts';
import { MESSAGES } from './messages.ts';

type GapsIn<T extends string> = T extends `${string}{${infer Gap}}${infer Rest}` ? Gap | GapsIn<Rest> : never;
type Gaps<N extends MessageName> = Readonly<Record<GapsIn<(typeof MESSAGES)[N]['text']>, string | number>>;

/** Replaces control characters and lone surrogates: log lines of workloads can contain anything. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, ' ');
}

/** A gap that ends with a full stop, before the full stop of its sentence. */
function withSingleStops(text: string): string {
  return text.replace(/(?<=[\w`"')\]])\.\.(?=\s|$)/g, '.');
}

/** Fills the gaps of a message. */
export function message<N extends MessageName>(name: N, gaps: Gaps<N>): Message {
  const values: Readonly<Record<string, string | number>> = gaps;
  const { code, text } = MESSAGES[name];
  const filled = text.replace(/\{(\w+)\}/g, (_, gap: string) => String(values[gap]));
  return { code, text: withSingleStops(printable(filled).trimEnd()) };
}

function twoDigits(n: number): string {
  return String(Math.floor(n)).padStart(2, '0');
}

/** Splits an elapsed time into the units of `upgradeCompleted`. */
export function elapsed(ms: number): { hh: string; min: string; sec: string; millisec: string } {
  return {
    hh: twoDigits(ms / HOUR),
    min: twoDigits((ms % HOUR) / MINUTE),
    sec: twoDigits((ms % MINUTE) / SECOND),
    millisec: String(ms % SECOND).padStart(3, '0'),
  };
}

export function minutes(ms: number): string {
  return (ms / MINUTE).toFixed(1);
}

const MAX_LINES = 10;

/** Formats the last log lines of a workload or hook, for the end of a message. */
export function withLines(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const last = lines.slice(-MAX_LINES).map((line) => `  ${line}`);
  return `\nLast lines:\n${last.join('\n')}`;
}

/** Marks every message about a simulated deployment as such. */
export function simulatedNote(isSimulated: boolean): string {
  return isSimulated ? ' This deployment is simulated: nothing real is changed.' : '';
}
