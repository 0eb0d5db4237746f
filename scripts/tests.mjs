// `npm test` and `npm run soak -- NAME`: builds Steward and runs the tests on it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { project, ready } from './ready.mjs';

const SOAKS = {
  kill: 'test/chaos/catalogKill.test.ts',
  fuzz: 'test/chaos/mutatedRequests.test.ts',
  deliveries: 'test/chaos/deliveryKill.test.ts',
  storeAway: 'test/chaos/databaseOutage.test.ts',
  upgrades: 'test/chaos/upgradeCrash.test.ts',
  upgradeKills: 'test/chaos/upgradeKill.test.ts',
  upgradeModel: 'test/chaos/upgradeModel.test.ts',
};

const [mode, ...rest] = process.argv.slice(2);
const isSoak = mode === 'soak';
const [name, ...more] = rest;
if (isSoak && !Object.hasOwn(SOAKS, name ?? '')) {
  process.stderr.write(`npm run soak -- NAME, where NAME is one of: ${Object.keys(SOAKS).join(', ')}\n`);
  process.exit(2);
}
const files = isSoak ? [SOAKS[name], ...more] : rest;
await ready();
const env = isSoak ? { ...process.env, STEWARD_SOAK_FULL: '1' } : process.env;
const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
// Over the channel the run notices the end of this process, and ends too.
const run = spawn(process.execPath, [vitest, 'run', ...files], {
  cwd: project,
  env,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
run.on('exit', (status) => process.exit(status ?? 1));
