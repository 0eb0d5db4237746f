// `npm test`, `npm run soak -- NAME`: the tests, on what is built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { project, ready } from './ready.mjs';

const SOAKS = {
  kill: 'test/chaos/catalogKill.test.ts',
  fuzz: 'test/chaos/mutatedRequests.test.ts',
  deliveries: 'test/chaos/deliveryKill.test.ts',
  storeAway: 'test/chaos/databaseOutage.test.ts',
  upgrades: 'test/chaos/upgradeCrash.test.ts',
  upgradeKills: 'test/chaos/upgradeKill.test.ts',
};
const [mode, ...rest] = process.argv.slice(2);
await ready();
const vitest = [join(project, 'node_modules', 'vitest', 'vitest.mjs'), 'run'];
let args = rest;
const env = { ...process.env };
if (mode === 'soak') {
  const [name, ...more] = rest;
  if (!Object.hasOwn(SOAKS, name ?? '') || !existsSync(join(project, SOAKS[name]))) {
    process.stderr.write(`npm run soak -- NAME, where NAME is one of: ${Object.keys(SOAKS).join(', ')}\n`);
    process.exit(2);
  }
  args = [SOAKS[name], ...more];
  env.STEWARD_SOAK_FULL = '1';
}
const { status } = spawnSync(process.execPath, [...vitest, ...args], { cwd: project, stdio: 'inherit', env });
process.exit(status ?? 1);
