const INDENT = '  ';
/** A string, a bracket or other punctuation, or a number or word. White space between them is dropped. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * Lays JSON out in lines without changing its values. To parse it and write it again would round long numbers, and the
 * page shows what was sent. Text that is not JSON is returned as it is.
 */
export function jsonLayout(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let laidOut = '';
  let former = '';
  const line = (): string => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpened = former === '{' || former === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      laidOut += isOpened ? token : line() + token;
    } else {
      if (isOpened || former === ',') laidOut += line();
      laidOut += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth += 1;
    }
    former = token;
  }
  return laidOut;
}
