// `npm test`, `npm run chaos` and `npm run soak -- NAME`: builds Steward and runs the tests on it.
// The chaos suites kill and freeze processes. `npm test` leaves them out unless it is given their path, because they take long.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { project, ready } from './ready.mjs';

const SOAKS = {
  kill: ['test/chaos/catalogKill.test.ts'],
  fuzz: ['test/chaos/mutatedRequests.test.ts'],
  deliveries: ['test/chaos/deliveryKill.test.ts'],
  storeAway: ['test/chaos/databaseOutage.test.ts'],
  // Files run in parallel.
  upgrades: ['test/chaos/upgradeCrash.test.ts', 'test/chaos/failedUpgradeCrash.test.ts'],
  upgradeKills: ['test/chaos/upgradeKill.test.ts'],
  upgradeModel: ['test/chaos/upgradeModel.test.ts'],
};

const CHAOS = 'test/chaos';

const [mode, ...rest] = process.argv.slice(2);
const isSoak = mode === 'soak';
const [name, ...more] = rest;
if (isSoak && !Object.hasOwn(SOAKS, name ?? '')) {
  process.stderr.write(`npm run soak -- NAME, where NAME is one of: ${Object.keys(SOAKS).join(', ')}\n`);
  process.exit(2);
}
const isWhole = mode === 'test' && rest.every((one) => one.startsWith('-'));
const files = isSoak
  ? [...SOAKS[name], ...more]
  : [...(mode === 'chaos' ? [CHAOS] : []), ...(isWhole ? ['--exclude', `${CHAOS}/**`] : []), ...rest];
await ready();
const env = {
  ...process.env,
  ...(isSoak && { STEWARD_SOAK_FULL: '1' }),
  ...(isWhole && {
    STEWARD_TEST_LEFT_OUT: `${CHAOS}: processes that are killed or frozen, and outages (npm run chaos)`,
  }),
};
const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
// Over the channel the run notices the end of this process, and ends too.
const run = spawn(process.execPath, [vitest, 'run', ...files], {
  cwd: project,
  env,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
run.on('exit', (status) => process.exit(status ?? 1));
