// The console is in English, in every browser: a sentence has no words of another language. Times are in the zone of the reader.

/** English with the day before the month and a clock of 24 hours, which few people misread. */
const LOCALE = 'en-GB';

const NUMBER = new Intl.NumberFormat(LOCALE);

/** Such as `1,234`. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LOCALE, options);
}
