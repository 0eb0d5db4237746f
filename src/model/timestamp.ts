/** Whether a value of an answer is a time in milliseconds: 2001 to 2286. No other number in an answer is that large. */
export function isTimestamp(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1e12 && value < 1e13;
}
