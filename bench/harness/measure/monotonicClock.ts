/** Milliseconds on a clock that is the same in every process of this machine and is never set. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
