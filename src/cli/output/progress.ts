// A progress bar with rate and remaining time on a terminal, and a line now and then elsewhere. It is written to standard
// error, so that standard output has the result only.
import type { Clock } from '../../foundation/clock.ts';
import type { Streams } from '../remote/streams.ts';
import { fitText } from './displayWidth.ts';

export interface Progress {
  update(done: number, total: number, text?: string): void;
  /** Removes the bar, so that a line can be printed. The next update draws it again. */
  clear(): void;
  end(): void;
}

export interface ProgressOptions {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly isQuiet: boolean;
  /** Names an amount: bytes, deliveries, units of work. */
  readonly amount: (n: number) => string;
}

const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;
const BAR = 20;
const ERASE = '\r\u001b[2K';
const SECOND = 1000;

export function bytesText(n: number): string {
  if (n < 1024) return `${n} B`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

function secondsText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The rate and the remaining time by the work since the start; empty before there is a measure. */
function paceText(done: number, total: number, elapsedMs: number, amount: (n: number) => string): string {
  if (done <= 0 || elapsedMs < SECOND) return '';
  const perSecond = (done * SECOND) / elapsedMs;
  const left = Math.ceil((total - done) / perSecond);
  const rate = perSecond >= 1 ? `, ${amount(Math.round(perSecond))}/s` : '';
  return done >= total ? rate : `${rate}, ${secondsText(left)} left`;
}

export function createProgress({ streams, clock, isQuiet, amount }: ProgressOptions): Progress {
  const { width } = streams;
  const began = clock.now();
  let [first, drawnAt, isDrawn, last] = [-1, Number.NEGATIVE_INFINITY, false, ''];

  function lineOf(done: number, total: number, text: string): string {
    if (first < 0) first = done;
    const part = total === 0 ? 0 : Math.min(1, done / total);
    const filled = Math.round(part * BAR);
    const pace = paceText(done - first, total - first, clock.now() - began, amount);
    const figures = `${Math.floor(part * 100)} % (${amount(done)} of ${amount(total)}${pace})`;
    const words = text === '' ? '' : `  ${text}`;
    if (width === undefined) return `${figures}${words}`;
    return fitText(`${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${figures}${words}`, width - 1);
  }

  function clear(): void {
    if (isDrawn) streams.printError(ERASE);
    isDrawn = false;
  }

  return {
    update(done, total, text = '') {
      const every = width === undefined ? LINE_EVERY_MS : DRAW_EVERY_MS;
      const now = clock.now();
      if (isQuiet || (now - drawnAt < every && (isDrawn || width === undefined) && done < total)) return;
      const line = lineOf(done, total, text);
      if (line === last && width === undefined) return;
      [drawnAt, last] = [now, line];
      streams.printError(width === undefined ? `${line}\n` : ERASE + line);
      isDrawn = width !== undefined;
    },
    clear,
    end: clear,
  };
}
