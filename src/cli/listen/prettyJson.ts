import { parseJson } from '../../foundation/schema/json.ts';

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents the first lines of a JSON text. Keeps its tokens: a number of twenty digits, parsed and written again, would
 * be rounded.
 */
function indented(text: string, maxLines: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let previous = '';
  const breakLine = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  for (const [token] of text.matchAll(TOKENS)) {
    if (lines.length >= maxLines) break;
    const isClosing = token === '}' || token === ']';
    const wasOpening = previous === '{' || previous === '[';
    if (isClosing) depth -= 1;
    if (isClosing !== wasOpening && (isClosing || wasOpening)) breakLine();
    if (token === '{' || token === '[') depth += 1;
    line += token === ':' ? ': ' : token;
    if (token === ',') breakLine();
    previous = token;
  }
  return lines.length < maxLines ? [...lines, line] : lines;
}

/** Splits a text into lines, indented if it is JSON. Returns at most `maxLines` lines. */
export function prettyLines(text: string, maxLines: number): readonly string[] {
  return parseJson(text) !== undefined ? indented(text, maxLines) : text.split(/\r?\n/, maxLines);
}
