/** Control and format characters, line separators and lone surrogates: what moves a cursor, ends a line or hides text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

function escapeOf(character: string): string {
  return SHORT[character] ?? String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Replaces every character that a terminal would not print, so that a text stays on its line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escapeOf);
}

/** Like `printable`, for a text that is shown on several lines: its line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/[^\n\t]+/g, printable);
}
