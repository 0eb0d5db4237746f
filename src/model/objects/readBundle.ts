// Reads the bundle of a version: JSON lines, one object each. Limits come before the parser; problems name line, object and field, and
// contain no values, because a bundle may contain Secrets.
import { isUtf8 } from 'node:buffer';
import type { Steps } from '../../foundation/flow/steps.ts';
import { allAtOnce } from '../../foundation/flow/steps.ts';
import { firstProblems } from '../../foundation/schema/schema.ts';
import { readBundleLine } from './rules/bundleLine.ts';
import type { BundleObject } from './bundleObject.ts';
import { objectName } from './bundleObject.ts';
import type { BundleRules, PlacedObject } from './bundleRules.ts';
import { bundleProblems } from './bundleRules.ts';

export type ReadBundle =
  | { readonly kind: 'valid'; readonly objects: readonly BundleObject[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;
const MAX_BUNDLE_OBJECTS = 5000;
const MAX_PROBLEMS = 20;
const LINE_FEED = 10;

function hasTooManyLines(bytes: Buffer): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    lines += 1;
    if (lines > MAX_BUNDLE_OBJECTS) return true;
  }
  return lines === MAX_BUNDLE_OBJECTS && bytes.at(-1) !== LINE_FEED;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The problem of the file as a whole. */
function fileProblem(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return 'is empty; a bundle has one object on each line';
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    return 'line 1 begins with a byte order mark; save the file as UTF-8 without it';
  if (bytes.length > MAX_BUNDLE_BYTES) return `must have at most ${MAX_BUNDLE_BYTES} bytes, not ${bytes.length}`;
  if (hasTooManyLines(bytes)) return `must have at most ${MAX_BUNDLE_OBJECTS} lines, one for each object`;
  return isUtf8(bytes) ? undefined : 'must be UTF-8';
}

function linesOf(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8');
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Reads a bundle object by object, because the largest one takes seconds. */
export function* bundleSteps(bytes: Buffer, rules?: BundleRules): Steps<ReadBundle> {
  const problem = fileProblem(bytes);
  if (problem !== undefined) return { kind: 'invalid', problems: [problem] };
  const objects: PlacedObject[] = [];
  const unread: string[] = [];
  for (const [n, text] of linesOf(bytes).entries()) {
    const read = readBundleLine(text);
    const place = `line ${n + 1}`;
    if (read.kind === 'valid') objects.push({ place, content: read.content });
    else unread.push(`${place}: ${read.problem}`);
    yield;
  }
  const problems = [...unread, ...(yield* bundleProblems(objects, rules))];
  if (problems.length > 0) return { kind: 'invalid', problems: firstProblems(problems, MAX_PROBLEMS) };
  return { kind: 'valid', objects: objects.map(({ content }) => ({ name: objectName(content), content })) };
}

/** Reads a bundle at once, where nothing else has to go on. */
export function readBundle(bytes: Buffer, rules?: BundleRules): ReadBundle {
  return allAtOnce(bundleSteps(bytes, rules));
}
