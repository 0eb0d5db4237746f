// Preloaded into a process (`node --import`): its wall clock is ahead by STEWARD_TEST_CLOCK_MS milliseconds. Its monotonic clock is not.
const aheadMs = Number(process.env.STEWARD_TEST_CLOCK_MS);
const Actual = Date;

globalThis.Date = class Date extends Actual {
  constructor(...values) {
    if (values.length === 0) super(Actual.now() + aheadMs);
    else super(...values);
  }

  static now() {
    return Actual.now() + aheadMs;
  }
};
