// Replaces what differs from run to run by placeholders. What may be compared with another occurrence has a number, in the order of
// first appearance. Times have none: two that fall into one millisecond in one run do not in the next.
const HOUR_MS = 3_600_000;
/** Dates before the run are constants, such as the release date of a version. */
const EARLIER_MS = 2 * HOUR_MS;

type Rule = readonly [pattern: RegExp, name: string, isNumbered?: 'numbered'];

const RULES: readonly Rule[] = [
  [/\bstw_[\w-]{43}/g, 'token', 'numbered'],
  [/\bwhsec_[\w+/-]{20,}={0,2}/g, 'key', 'numbered'],
  [/\bv1a?,[\w+/-]{20,}={0,2}/g, 'signature'],
  [/\bsha256=[\da-f]{64}\b/g, 'signature'],
  [/(?<=steward_session_)[a-z\d]{8}\b/g, 'cookie'],
  [/(?<=nonce[-=]"?)[\w+/-]{16,}={0,2}/g, 'nonce'],
  [/(?<=etag: (?:W\/)?")[\w-]+/g, 'etag'],
  [/(?<=planHash(?:&quot;|["\\]|=| )+(?::\s*)?(?:&quot;|["\\])*)[\da-f]{64}\b/g, 'plan'],
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, 'secret', 'numbered'],
  [/\b[a-z\d]{16}-[a-z\d]{1,6}\b/g, 'request'],
  [/\bevt_(?:[a-z\d]{16}_[a-z\d]+|[a-z\d]{24,31})\b/g, 'event', 'numbered'],
  [/\b(?=[a-z]*\d)[a-z\d]{24}\b/g, 'id', 'numbered'],
  [/\b127\.0\.0\.1:\d+\b/g, 'address'],
  [/(?<=^webhook-timestamp: )\d+$/gm, 'time'],
  [/(?<="base64": ")[\w+/]+={0,2}/g, 'content'],
  [/(?<=Elapsed: )\d+ ms, approximately [\d.]+ min/g, 'duration'],
  // The duration of an attempt, beside its address.
  [/(?<=<address>[\w/]*(?: +|<\/td><td>))\d+(?= |<)/g, 'duration'],
  [/(?<= in )\d+ ms\b/g, 'duration'],
  [/\d+ hh \d+ min \d+ sec \d+ millisec/g, 'duration'],
  [/(?<="(?:durationMs|answered|oldestDueSeconds)": )\d+/g, 'duration'],
  [/(?<="perMinute": )\[[^\]]*\]|(?<=>perMinute<\/th><td>)<table>.*?<\/table>/g, 'by minute'],
  [/\d+(?= in the last hour)/g, 'by minute'],
];
const ISO = /\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?)?/g;
const MILLISECONDS = /\b[12]\d{12}\b/g;

export interface Normaliser {
  /** Always replaces this text. */
  replace(text: string, name: string): void;
  normalise(text: string): string;
}

export function createNormaliser(beganAt: number): Normaliser {
  const fixed: (readonly [text: string, name: string])[] = [];
  const seen = new Map<string, string>();
  const counts = new Map<string, number>();

  function numbered(name: string, found: string): string {
    const known = seen.get(found);
    if (known !== undefined) return known;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const placeholder = `<${name}-${count}>`;
    seen.set(found, placeholder);
    return placeholder;
  }
  const time = (found: string, at: number): string => (at >= beganAt - EARLIER_MS ? '<time>' : found);

  return {
    replace: (text, name) => void fixed.push([text, `<${name}>`]),
    normalise(text) {
      // `diff` compares a file with this character as bytes.
      let result = fixed.reduce((whole, [found, name]) => whole.replaceAll(found, name), text.replaceAll('\0', '\\0'));
      for (const [pattern, name, isNumbered] of RULES)
        result = result.replace(pattern, (found) => (isNumbered === undefined ? `<${name}>` : numbered(name, found)));
      return result
        .replace(MILLISECONDS, (found) => time(found, Number(found)))
        .replace(ISO, (found) => time(found, Date.parse(found.length > 10 ? found : `${found}T23:59Z`)));
    },
  };
}
