/**
 * Characters that XML 1.0 cannot carry and that do not belong in a store or on a terminal: control characters other than
 * tab and line ends, and unpaired surrogates.
 */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

export function textProblem(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return `must have at most ${maxLength} characters, not ${text.length}`;
  return isPrintable(text) ? undefined : 'must not contain control characters';
}

/** What ends a line or changes the direction of the text around it: a name with it looks like another one, or like two. */
const DISGUISE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Says what is wrong with a name that people read, such as that of a webhook. */
export function nameProblem(name: string, maxLength: number): string | undefined {
  const problem = textProblem(name, maxLength);
  if (problem !== undefined || !DISGUISE.test(name)) return problem;
  return 'must not contain line breaks, tabs or characters that change the direction of the text';
}

/** The schema of a text of at most this length. */
export function textSchema(maxLength: number) {
  return {
    type: 'string',
    rule: 'must be a string',
    check: (value: unknown) => (typeof value === 'string' ? textProblem(value, maxLength) : undefined),
  } as const;
}
