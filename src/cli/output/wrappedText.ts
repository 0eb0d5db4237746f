// Text on a terminal: its lines end between words, and what does not fit beside its label stands below it.
import { printable } from '../../foundation/text/printable.ts';
import { displayWidth } from './displayWidth.ts';

const INDENT = '  ';

/** Breaks a line between words. A word that is longer than a line stays whole, so that it can be copied. */
export function wrapText(text: string, width: number | undefined, indent = ''): string {
  if (width === undefined || displayWidth(text) <= width) return text;
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || line.trim() === '' || displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line.trimEnd());
      line = indent + word;
    }
  }
  return [...lines, line].join('\n');
}

/** Breaks the words that are longer than a line, so that all of a text is shown within the width. */
export function brokenText(text: string, width: number): string {
  const room = width - INDENT.length;
  if (displayWidth(text) <= room) return text;
  let [broken, used] = ['', 0];
  for (const character of text) {
    const size = displayWidth(character);
    if (character !== ' ' && used + size > room) [broken, used] = [`${broken} `, 0];
    broken += character;
    used = character === ' ' ? 0 : used + size;
  }
  return broken;
}

/** A text after a label, with its own line breaks. Its further lines begin below the first, or further left if a word needs the room. */
export function hangingText(label: string, text: string, width: number | undefined): string {
  const beside = displayWidth(label);
  const longest = Math.max(...text.split(/\s/).map(displayWidth));
  const indent = width === undefined || beside + longest <= width ? ' '.repeat(beside) : INDENT;
  return text
    .split(/\r?\n/)
    .map((line, n) => `${wrapText((n === 0 ? label : indent) + printable(line), width, indent).trimEnd()}\n`)
    .join('');
}
