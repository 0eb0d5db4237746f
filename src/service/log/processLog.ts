import { fstatSync, openSync, readlinkSync } from 'node:fs';
import pino from 'pino';
import pico from 'picocolors';
import type { Log, RequestLine } from '../../foundation/log.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { createLogSink } from './logSink.ts';
import { printable } from '../../foundation/text/printable.ts';
import { textValue } from './textValue.ts';

export interface ProcessLog {
  readonly log: Log;
  flush(): void;
  /** Opens the file of the log again under its name, after a tool has renamed it. A log that is not a file stays as it is. */
  reopen(): void;
  /** How many lines could not be written since the start. */
  droppedLines(): number;
}

/** Steward logs none of these; this guards against mistakes. By field name only, because searching each line would double its cost. */
const SECRETS = ['token', 'password', 'authorization', 'cookie', 'secret'];
const HIDDEN = Object.fromEntries(SECRETS.map((name) => [name, () => '[redacted]']));

/** Machines read blocks, after 100 ms at the latest; a person reads each line at once. */
const BLOCKS = { blockLength: 65_536, everyMs: 100 };
const LINES = { blockLength: 1, everyMs: 0 };
const MAX_WAITING = 16 * 1024 * 1024;

const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: '',
  40: pico.yellow('warning'),
  50: pico.red('error'),
};

const timeOfDay = (at: number): string => pico.dim(new Date(at).toTimeString().slice(0, 8));

/** Formats the line of a request for a person at a terminal. */
export function humanRequest({ method, path, status, ms, who }: RequestLine): string {
  const paint = status >= 500 ? pico.red : status >= 400 ? pico.yellow : pico.green;
  const caller = who === '' ? '' : textValue(who);
  const what = `${textValue(method)} ${textValue(path)} ${paint(status)}`;
  return `${timeOfDay(Date.now())} ${what} ${pico.dim(`${ms} ms ${caller}`)}\n`;
}

/** Writes the line as pino would, at a fifth of its cost, because every request has one. */
function jsonRequest({ requestId, method, path, status, ms, from, who }: RequestLine): string {
  return `{"level":30,"time":${Date.now()},"requestId":"${requestId}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms},"from":${JSON.stringify(from)},"who":${JSON.stringify(who)},"msg":"request"}\n`;
}

/** Formats a line of pino for a person at a terminal. */
export function humanLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const { level, time, msg, ...fields } = line;
  const rest = Object.entries(fields).map(([key, value]) => `${textValue(key)}=${textValue(value)}`);
  return `${[timeOfDay(Number(time)), LEVELS[Number(level)] ?? '', printable(String(msg)), pico.dim(rest.join(' '))].filter((part) => part !== '').join(' ')}\n`;
}

/** Says how many lines are missing at this place of the log. It is a warning at every level of the log but `silent`, which has no gaps. */
function jsonGap(droppedLines: number, reason: string): string {
  const msg = 'log lines were dropped here; check the disk or the reader of the log';
  return `${JSON.stringify({ level: 40, time: Date.now(), droppedLines, reason, msg })}\n`;
}

/** The path of the file that a descriptor writes to; undefined for a pipe, a terminal or a deleted file. */
function fileOf(fd: number): string | undefined {
  try {
    const found = fstatSync(fd);
    return found.isFile() && found.nlink > 0 ? readlinkSync(`/proc/self/fd/${fd}`) : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the log of the process, which goes to standard error. */
export function createProcessLog(level: string, format: 'auto' | 'json' | 'text'): ProcessLog {
  // Reading `isTTY` also opens standard error, which makes a pipe non-blocking: a reader that stalls cannot block the process.
  const isTerminal = process.stderr.isTTY;
  const asText = format === 'text' || (format === 'auto' && isTerminal);
  const gapLine = asText ? (...gap: Parameters<typeof jsonGap>) => humanLine(jsonGap(...gap)) : jsonGap;
  const sink = createLogSink({ fd: 2, maxWaiting: MAX_WAITING, gapLine, ...(asText ? LINES : BLOCKS) });
  const stream = asText ? { write: (line: string) => sink.write(humanLine(line)) } : sink;
  const logger = pino({ level, base: undefined, serializers: HIDDEN }, stream);
  // Known now only: after the file was renamed, the descriptor has the new name.
  const file = fileOf(2);
  const isInfo = logger.isLevelEnabled('info');
  const lineOf = asText ? humanRequest : jsonRequest;
  return {
    log: Object.assign(logger, {
      request: (line: RequestLine) => void (isInfo && sink.write(lineOf(line))),
    }),
    flush: () => sink.flush(),
    reopen() {
      if (file === undefined) return;
      try {
        sink.continueIn(openSync(file, 'a'));
      } catch (error) {
        logger.warn(
          { file, reason: reasonOf(error) },
          'the file of the log cannot be reopened, and the log continues in the previous one; let the account of Steward write there, or rotate with copytruncate',
        );
      }
    },
    droppedLines: () => sink.dropped(),
  };
}
