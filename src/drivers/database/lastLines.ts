const MAX_LINES = 50;
const MAX_LINE = 500;

/** Keeps the last lines of a text that arrives in parts. */
export function lastLines() {
  let kept: readonly string[] = [];
  let rest = '';
  return {
    add(part: string): void {
      const parts = `${rest}${part}`.split('\n');
      rest = (parts.pop() ?? '').slice(-MAX_LINE);
      kept = [...kept, ...parts.map((line) => line.trimEnd().slice(0, MAX_LINE))].slice(-MAX_LINES);
    },
    lines: (): readonly string[] => [...kept, rest].filter((line) => line !== ''),
  };
}
