import { defineConfig } from 'vitest/config';
import { DEMO_TABLES } from './src/demo/demoTables.ts';
import { pathsOf } from './src/wire/client/call.ts';
import { INTERFACE } from './src/wire/client/interface.ts';
import { TEST_TIMEOUT_MS, WAIT_TIMEOUT_MS } from './test/support/run/limits.ts';

export default defineConfig({
  // As in vite.config.ts, for tests of the console.
  define: { STEWARD_ROUTES: JSON.stringify(pathsOf({ ...INTERFACE, ...DEMO_TABLES })) },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/run/globalSetup.ts'],
    reporters: ['default', './test/support/run/closingReporter.ts'],
    pool: 'forks',
    maxWorkers: 4,
    // Test files share the modules of their worker; loading them for each file took a quarter of the time.
    isolate: false,
    // Colours come with a terminal, and with the variable CI; what tests compare has none.
    env: { NO_COLOR: '1' },
    // A test may wait ten minutes for a busy machine; a fault that hangs many tests must not hold the gate for hours.
    bail: 3,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    // openapi-typescript needs the API of TypeScript 5, which TypeScript 7 does not have.
    alias: { typescript: 'typescript5' },
    server: { deps: { inline: ['openapi-typescript'] } },
    expect: { poll: { timeout: WAIT_TIMEOUT_MS } },
  },
});
