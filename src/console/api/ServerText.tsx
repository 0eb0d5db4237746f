/** A text that the server wrote. What stands between backticks in it is shown as code; everything else stays text. */
export function ServerText({ text }: { readonly text: string }) {
  // Every second part stood between backticks.
  const parts = text.split(/`([^`\n]+)`/);
  return <>{parts.map((part, n) => (n % 2 === 0 ? part : <code key={n}>{part}</code>))}</>;
}
