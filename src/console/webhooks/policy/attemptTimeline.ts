// What happens to one delivery over time: attempts of up to the time-out, with waits between them.
import type { DeliveryPolicy } from '../answers.ts';

export type PolicyValues = Omit<DeliveryPolicy, 'status'>;

export interface Segment {
  readonly kind: 'attempt' | 'wait';
  /** The number of the attempt, or of the attempt before the wait. */
  readonly n: number;
  readonly fromSeconds: number;
  readonly seconds: number;
}

/** The longest course of a delivery: each attempt uses up its time-out. */
export function segmentsOf(policy: PolicyValues): readonly Segment[] {
  const { notificationAttempts, notificationTimeOutInSeconds, notificationElapsedTimeInSeconds } = policy;
  const segments: Segment[] = [];
  let at = 0;
  for (let n = 1; n <= notificationAttempts; n += 1) {
    segments.push({ kind: 'attempt', n, fromSeconds: at, seconds: notificationTimeOutInSeconds });
    at += notificationTimeOutInSeconds;
    if (n === notificationAttempts) break;
    segments.push({ kind: 'wait', n, fromSeconds: at, seconds: notificationElapsedTimeInSeconds });
    at += notificationElapsedTimeInSeconds;
  }
  return segments;
}

export function totalSeconds(segments: readonly Segment[]): number {
  return segments.reduce((sum, { seconds }) => sum + seconds, 0);
}

export interface DrawnSegment extends Segment {
  readonly x: number;
  readonly width: number;
}

/** Places segments on a width. Short ones get a least width, so that a wait of a day leaves room for an attempt. */
export function placeSegments(segments: readonly Segment[], width: number, least: number): readonly DrawnSegment[] {
  const total = totalSeconds(segments);
  const free = Math.max(0, width - least * segments.length);
  let x = 0;
  return segments.map((segment) => {
    const own = least + (total === 0 ? 0 : (segment.seconds / total) * free);
    const drawn = { ...segment, x, width: own };
    x += own;
    return drawn;
  });
}

/** Such as `45 s`, `2 min 5 s` or `1 h`. */
export function secondsText(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

export interface ExampleFailure {
  /** Between 0 and 1, within the window. */
  readonly at: number;
  readonly count: number;
}

/** Failures for the drawing of the window: at equal distances, the last one shortly before the window ends. */
export function exampleFailures(numberOfFailures: number, mostSteps: number): readonly ExampleFailure[] {
  const steps = Math.min(numberOfFailures, mostSteps);
  return Array.from({ length: steps }, (_, n) => ({
    at: steps === 1 ? 0.02 : 0.02 + (n / (steps - 1)) * 0.9,
    count: Math.round(((n + 1) / steps) * numberOfFailures),
  }));
}
