const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

export interface IsoTime {
  /** `date`: a day without a time. Its `at` is the start of the day in UTC. */
  readonly kind: 'date' | 'time';
  readonly at: number;
}

/** Reads an ISO 8601 date, or a time with its zone. */
export function readIsoTime(text: string): IsoTime | undefined {
  const day = ISO.exec(text)?.[1];
  // JavaScript reads February 31 as March 3.
  if (day === undefined || Number.isNaN(Date.parse(day)) || !new Date(day).toISOString().startsWith(day))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : { kind: text === day ? 'date' : 'time', at };
}
