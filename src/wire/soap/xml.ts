const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes the content of an element. Other characters stay literal: some clients cannot read more references. */
export function escapeXml(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character) : text;
}

/** Escapes the value of an attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? character);
}
