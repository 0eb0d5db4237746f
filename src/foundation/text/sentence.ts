/** Ends a text with a full stop, unless it has an end: reasons of other programs may have one. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
