// `npm test`, `npm run browser`, `npm run chaos`, `npm run cluster`, `npm run connections`, `npm run database`, `npm run proxies`,
// `npm run receivers`, `npm run terminal`, `npm run package`, `npm run stores`, `npm run transcript` and `npm run soak -- NAME`: builds
// Steward and runs the tests on it. The chaos suites kill and freeze processes. `npm test` leaves them out unless it is given their path,
// because they take long. The same holds for the suites that need a browser, a real Kubernetes cluster, every way to connect to PostgreSQL, a pair of its servers,
// proxies, web servers, a terminal or the package registry, and for stores of earlier versions.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { project, ready } from './ready.mjs';

/** `npm run soak -- clusterObjects` alone runs these, because they take long. */
const LONG_ON_CLUSTER = ['test/cluster/objectDisturbances.test.ts', 'test/cluster/objectRefusals.test.ts'];
const SOAKS = {
  kill: ['test/chaos/catalogKill.test.ts'],
  fuzz: ['test/chaos/mutatedRequests.test.ts'],
  deliveries: ['test/chaos/deliveryKill.test.ts'],
  storeAway: ['test/chaos/databaseOutage.test.ts'],
  freezes: ['test/chaos/freezes.test.ts'],
  presence: ['test/chaos/lostPresence.test.ts'],
  // Files run in parallel.
  upgrades: [
    'test/chaos/upgradeCrash.test.ts',
    'test/chaos/failedUpgradeCrash.test.ts',
    'test/chaos/objectsCrash.test.ts',
  ],
  upgradeKills: ['test/chaos/upgradeKill.test.ts'],
  upgradeModel: ['test/chaos/upgradeModel.test.ts'],
  moves: ['test/chaos/moveStoreKill.test.ts', 'src/store/move/moveStore.test.ts'],
  switchOvers: ['test/database/switchOver.test.ts', 'test/database/lateRequests.test.ts'],
  kubernetesScale: ['test/cluster/scale.test.ts', 'test/cluster/objectScale.test.ts'],
  clusterFaults: ['test/cluster/faults.test.ts'],
  clusterObjects: [
    'test/cluster/objectContract.test.ts',
    'test/cluster/objectRelease.test.ts',
    ...LONG_ON_CLUSTER,
    // They use one cluster.
    '--maxWorkers=1',
  ],
};

const BROWSER = 'test/browser';
const CHAOS = 'test/chaos';
const CLUSTER = 'test/cluster';
const CONNECTIONS = 'test/connections';
const DATABASE = 'test/database';
const PROXIES = 'test/proxies';
const RECEIVERS = 'test/receivers';
const TERMINAL = 'test/terminal';
const PACKAGE = 'test/package';
const STORES = 'test/stores';
const TRANSCRIPT = 'test/transcript';
/** Tests the guards, which are part of `npm run check`, and runs with them. */
const PLANTED = 'test/architecture/guards.test.ts';
const SUITES = {
  browser: BROWSER,
  chaos: CHAOS,
  cluster: CLUSTER,
  connections: CONNECTIONS,
  database: DATABASE,
  proxies: PROXIES,
  receivers: RECEIVERS,
  terminal: TERMINAL,
  package: PACKAGE,
  stores: STORES,
  transcript: TRANSCRIPT,
};
const LEFT_OUT = [
  `${BROWSER}: the web console in Chromium and Firefox (npm run browser)`,
  `${CHAOS}: processes that are killed or frozen, and outages (npm run chaos)`,
  `${CLUSTER}: upgrades of a real Kubernetes cluster (npm run cluster)`,
  `${CONNECTIONS}: every supported way to connect to PostgreSQL (npm run connections)`,
  `${DATABASE}: switch-overs of a real pair of PostgreSQL servers (npm run database)`,
  `${PROXIES}: nginx, Apache, HAProxy and Caddy in front of Steward (npm run proxies)`,
  `${RECEIVERS}: deliveries to real web servers, and names of a real name server (npm run receivers)`,
  `${TERMINAL}: every command on a terminal (npm run terminal)`,
  `${PACKAGE}: installs the npm package in an empty folder (npm run package)`,
  `${STORES}: stores of every earlier version, opened by this one (npm run stores)`,
  `${TRANSCRIPT}: the answers to a series of all operations are the same each time (npm run transcript)`,
  `${PLANTED}: violations that turn the guards red (npm run check)`,
];

const [mode, ...given] = process.argv.slice(2);
/** `npm run transcript -- FILE` writes a file; all other arguments are those of vitest. */
const target = mode === 'transcript' && given.length > 0 && !given[0].startsWith('-') ? resolve(given[0]) : undefined;
const rest = target === undefined ? given : given.slice(1);
const isSoak = mode === 'soak';
const [name, ...more] = rest;
if (isSoak && !Object.hasOwn(SOAKS, name ?? '')) {
  process.stderr.write(`npm run soak -- NAME, where NAME is one of: ${Object.keys(SOAKS).join(', ')}\n`);
  process.exit(2);
}
const isWhole = mode === 'test' && rest.every((one) => one.startsWith('-'));
const files = isSoak
  ? [...SOAKS[name], ...more]
  : [
      // A suite is run as a whole, unless some of its files are given.
      ...(mode in SUITES && !rest.some((one) => one.startsWith(SUITES[mode])) ? [SUITES[mode]] : []),
      // Cluster tests stop parts of the one cluster, so that no others may run beside them.
      ...(mode === 'cluster' ? ['--maxWorkers=1', ...LONG_ON_CLUSTER.flatMap((one) => ['--exclude', one])] : []),
      // These wait most of the time, for servers to close idle connections.
      ...(mode === 'receivers' ? ['--maxConcurrency=10'] : []),
      ...(isWhole
        ? [...Object.values(SUITES).map((folder) => `${folder}/**`), PLANTED].flatMap((one) => ['--exclude', one])
        : []),
      ...rest,
    ];
await ready();
const env = {
  ...process.env,
  ...(isSoak && { STEWARD_SOAK_FULL: '1' }),
  // The tests of `kubernetesScale` start a control plane themselves.
  ...((mode === 'cluster' || name === 'clusterFaults' || name === 'clusterObjects') && {
    STEWARD_TEST_WITH_CLUSTER: '1',
  }),
  ...(target !== undefined && { STEWARD_TRANSCRIPT: target }),
  ...(isWhole && { STEWARD_TEST_LEFT_OUT: LEFT_OUT.join('\n  ') }),
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
