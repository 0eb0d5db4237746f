import { defineConfig } from 'vitest/config';

const isSoak = process.env['STEWARD_SOAK_FULL'] === '1';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/run/globalSetup.ts'],
    reporters: ['default', './test/support/run/closingReporter.ts'],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: isSoak ? 3 * 3_600_000 : 60_000,
    hookTimeout: 60_000,
  },
});
