import { printableLines } from '../../foundation/text/printable.ts';

/**
 * A text that the server wrote. What stands between backticks in it is shown as code; everything else stays text. A character that
 * hides or reorders others is shown by its number: the text may name what another party has written.
 */
export function ServerText({ text }: { readonly text: string }) {
  // Every second part stood between backticks.
  const parts = printableLines(text).split(/`([^`\n]+)`/);
  return <>{parts.map((part, n) => (n % 2 === 0 ? part : <code key={n}>{part}</code>))}</>;
}
