const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first lines of a JSON text, indented. Its own tokens are kept: written anew from parsed values, a number of
 * twenty digits would be shown rounded.
 */
function indented(text: string, atMost: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let previous = '';
  const breakLine = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  for (const [token] of text.matchAll(TOKENS)) {
    if (lines.length >= atMost) break;
    const isClosing = token === '}' || token === ']';
    const wasOpening = previous === '{' || previous === '[';
    if (isClosing) depth -= 1;
    if (isClosing !== wasOpening && (isClosing || wasOpening)) breakLine();
    if (token === '{' || token === '[') depth += 1;
    line += token === ':' ? ': ' : token;
    if (token === ',') breakLine();
    previous = token;
  }
  return lines.length < atMost ? [...lines, line] : lines;
}

/** Indented where it is JSON, as it came where it is not; one line more than asked shows that there are more. */
export function prettyLines(text: string, atMost: number): readonly string[] {
  return isJson(text) ? indented(text, atMost) : text.split(/\r?\n/, atMost);
}
