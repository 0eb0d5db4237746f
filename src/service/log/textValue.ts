import { printable } from '../../foundation/text/printable.ts';

const PLAIN = /^[^\s"=\\]+$/;

/** Shows a value in a line of text. A value with spaces or signs is quoted, so that it cannot be taken for several. */
export function textValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  if (typeof value !== 'string' || PLAIN.test(text)) return printable(text);
  return `"${printable(text.replace(/["\\]/g, String.raw`\$&`))}"`;
}
