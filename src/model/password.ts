// What a new password must be. A long password is accepted as it is; a shorter one must not contain what guessers try first.

const LONG_ENOUGH = 12;
const SHORTEST = 8;
const LONGEST = 256;
const FEWEST_DIFFERENT = 5;

/** What a new password must be, in words. */
export const PASSWORD_RULE = `must have at least ${LONG_ENOUGH} characters, or at least ${SHORTEST} if it contains no common password and no dictionary word`;

/** Parts of the most common passwords, and words that people choose. All have at least four letters, so that few others match. */
const COMMON =
  `1234 4321 9876 abcd qwer wert asdf zxcv yxcv qaz1 1qaz 1q2w q1w2 wsx1 azer 0000 1111 2222 3333 5555 6666 7777 8888 9999
   admin administrator apple april august autumn azerty banana baseball basket batman berlin black blue bonjour boston cheese
   chicken chocolate coffee company computer cookie correct daniel database david december default demo diamond doctor dragon
   enter example family february flower football freedom friday friend ginger green guest hallo hello hockey hunter iloveyou
   internet january jennifer jessica jordan july june kennwort killer letmein london login love lucky master michael monday
   money monkey mustang network november october office orange pass paris pepper phone pizza please porsche princess private
   public purple rainbow robert root samsung saturday school secret security sept server service shadow simple soccer sommer
   spring staple starwars steward summer sunday sunshine super support system temp test thomas thursday tiger tuesday trust
   unknown user wednesday welcome whatever white willkommen winter yellow`.split(/\s+/);

const LOOKALIKES: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

function withLetters(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => LOOKALIKES[sign] ?? sign);
}

function isEasyToGuess(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  const spelled = withLetters(plain);
  return (
    new Set(plain).size < FEWEST_DIFFERENT ||
    COMMON.some((common) => plain.includes(common) || spelled.includes(common))
  );
}

/** Says why a password cannot be set, without repeating any part of it. Undefined if it can. */
export function passwordProblem(password: string): string | undefined {
  if (password.includes('\u0000')) return 'must not contain a NUL character';
  const { length } = Array.from(password);
  if (length > LONGEST) return `must have at most ${LONGEST} characters; it has ${length}`;
  if (length < SHORTEST) return `${PASSWORD_RULE}; it has ${length}`;
  if (length < LONG_ENOUGH && isEasyToGuess(password)) return `${PASSWORD_RULE}; it has ${length} and is easy to guess`;
  return undefined;
}
