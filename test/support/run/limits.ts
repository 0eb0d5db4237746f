const MINUTE_MS = 60_000;

export const IS_SOAK = process.env['STEWARD_SOAK_FULL'] === '1';

/**
 * How long one test may take. It only ends tests that hang: no test asserts how fast the machine is, so the limit leaves room
 * for a machine that is busy with other work.
 */
export const TEST_TIMEOUT_MS = IS_SOAK ? 180 * MINUTE_MS : 10 * MINUTE_MS;

/** How long a test waits for a condition: a little less, so that the error can say what was missing. */
export const WAIT_TIMEOUT_MS = TEST_TIMEOUT_MS - 20_000;
