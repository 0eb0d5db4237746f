import { isAscii, isUtf8 } from 'node:buffer';

export type DecodedXml =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly problem: string };

const UNPAIRED_SURROGATE = /\p{Cs}/u;

function decoded(text: string): DecodedXml {
  return { kind: 'text', text };
}

function unreadable(problem: string): DecodedXml {
  return { kind: 'unreadable', problem };
}

function utf16(bytes: Buffer, isBigEndian: boolean): DecodedXml {
  if (bytes.length % 2 !== 0) return unreadable('The request is not valid UTF-16.');
  const text = (isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  return UNPAIRED_SURROGATE.test(text) ? unreadable('The request is not valid UTF-16.') : decoded(text);
}

function decodeAs(bytes: Buffer, encoding: string): DecodedXml {
  switch (encoding.toLowerCase()) {
    case 'utf-8':
    case 'utf8':
      return isUtf8(bytes) ? decoded(bytes.toString('utf8')) : unreadable('The request is not valid UTF-8.');
    case 'utf-16':
    case 'utf-16le':
      return utf16(bytes, bytes[0] === 0);
    case 'utf-16be':
      return utf16(bytes, true);
    case 'iso-8859-1':
    case 'latin1':
      return decoded(bytes.toString('latin1'));
    case 'us-ascii':
    case 'ascii':
      return isAscii(bytes) ? decoded(bytes.toString('latin1')) : unreadable('The request is not valid US-ASCII.');
    default:
      return unreadable(`The encoding ${encoding} is not supported; use UTF-8.`);
  }
}

function declaredEncoding(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 200);
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1];
}

/** Decodes by the byte order mark, else by the charset of the media type, else by the XML declaration, else as UTF-8. */
export function decodeXml(bytes: Buffer, contentType: string | undefined): DecodedXml {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return decodeAs(bytes.subarray(3), 'utf-8');
  if (a === 0xfe && b === 0xff) return utf16(bytes.subarray(2), true);
  if (a === 0xff && b === 0xfe) return utf16(bytes.subarray(2), false);
  const charset = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1];
  if (charset !== undefined) return decodeAs(bytes, charset);
  if (a === 0x3c && b === 0) return utf16(bytes, false);
  if (a === 0 && b === 0x3c) return utf16(bytes, true);
  return decodeAs(bytes, declaredEncoding(bytes) ?? 'utf-8');
}
