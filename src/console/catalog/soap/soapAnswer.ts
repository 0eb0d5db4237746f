/** Puts each element on its own line; one that has only text stays on one line. Text that is not XML stays as it is. */
export function formatXml(xml: string): string {
  if (!xml.trimStart().startsWith('<')) return xml;
  const tokens = xml.match(/<[^>]+>|[^<]+/g)?.filter((token) => token.trim() !== '') ?? [];
  const lines: string[] = [];
  let depth = 0;
  let hasOpenLine = false;
  for (const token of tokens) {
    const isTag = token.startsWith('<');
    const isEnd = token.startsWith('</');
    if (isEnd) depth -= 1;
    // Text, and the end of an element that has no elements inside, stay on the line of its start.
    if (hasOpenLine && (!isTag || isEnd)) lines.push(`${lines.pop() ?? ''}${token}`);
    else lines.push(`${'  '.repeat(depth)}${token}`);
    const isStart = isTag && !isEnd && !/^<[?!]|\/>$/.test(token);
    if (isStart) depth += 1;
    hasOpenLine = isStart || (hasOpenLine && !isTag);
  }
  return lines.join('\n');
}

export interface ServicesInAnswer {
  readonly count: number;
  readonly hasService: boolean;
}

/** The services in an answer, and whether one is among them. Undefined if the answer is not a list of services. */
export function servicesIn(xml: string, url: string): ServicesInAnswer | undefined {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  if (document.querySelector('ServiceDescriptions') === null) return undefined;
  const urls = Array.from(document.querySelectorAll('ServiceDescription > Url'), ({ textContent }) => textContent);
  return { count: urls.length, hasService: urls.includes(url) };
}
