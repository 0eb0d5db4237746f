// Names of new users must not be mistaken for others: no invisible characters, no mixture of scripts, and not the same look as
// the name of another user. A short table covers the letters that look the same in usual fonts.

/** Scripts that are written together. Any of these groups may be joined by Latin. */
const TOGETHER = [
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
  ['Han', 'Bopomofo'],
] as const;
const SCRIPTS =
  'Latin Greek Cyrillic Armenian Hebrew Arabic Devanagari Bengali Tamil Telugu Thai Georgian Ethiopic Cherokee Han Hiragana Katakana Hangul Bopomofo'
    .split(' ')
    .map((script) => ({ script, pattern: new RegExp(String.raw`\p{Script=${script}}`, 'u') }));
const NO_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** Invisible characters, and marks that only choose another form of a letter. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Letters of other scripts, and rare Latin ones, by the Latin letter that they look like. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ',
    c: 'сϲᴄ',
    d: 'ԁ',
    e: 'еҽ',
    g: 'ɡց',
    h: 'һհ',
    i: 'іιıɩ',
    j: 'ј',
    k: 'кκ',
    l: 'ӏ',
    n: 'ոռ',
    o: 'оοօᴏ',
    p: 'рρ',
    q: 'ԛզ',
    s: 'ѕꜱ',
    u: 'υսᴜ',
    v: 'νѵᴠ',
    w: 'ԝωᴡ',
    x: 'хχ',
    y: 'уγʏ',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);

function scriptsOf(name: string): readonly string[] {
  const letters = Array.from(name).filter((letter) => !NO_SCRIPT.test(letter));
  return [
    ...new Set(
      letters.map((letter) => SCRIPTS.find(({ pattern }) => pattern.test(letter))?.script ?? 'another script'),
    ),
  ];
}

/** Says why a user cannot be created with this name, although its characters are allowed. Undefined if it can. */
export function usernameProblem(name: string): string | undefined {
  if (INVISIBLE.test(name)) return 'must not contain invisible characters';
  const scripts = scriptsOf(name);
  const isUsual =
    scripts.length < 2 ||
    TOGETHER.some((group) => scripts.every((one) => one === 'Latin' || group.some((script) => script === one)));
  return isUsual ? undefined : `must not mix scripts; it has letters of ${scripts.join(' and ')}`;
}

/** Returns the same text for names that look the same. */
export function lookOf(name: string): string {
  // Lower case of the dotted capital I is an i with a dot above, which looks like an i.
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\u0307/g, '');
  return Array.from(plain, (letter) => LOOKALIKES.get(letter) ?? letter).join('');
}
