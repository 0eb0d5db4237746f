const COMBINING = /\p{M}|\u200d/u;
/** Characters that take two columns of a terminal: those of East Asian scripts, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ASCII = /^[\x20-\x7e]*$/;

function widthOf(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Returns how many columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** Shortens a text to a number of columns, with an ellipsis at its end. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

export function padText(text: string, width: number, side: 'left' | 'right'): string {
  const padding = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return side === 'left' ? padding + text : text + padding;
}
